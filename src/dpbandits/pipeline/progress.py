"""How far a long run is: jobs done, time left, what is running now."""

import logging
import time
from collections import Counter
from pathlib import Path

from dpbandits.pipeline.timing import by_kind


class Progress(logging.Handler):
    """A handler for the workflow's log: after each job, a line on what is left.

    The time of a job to come is the mean of its rule in this run, else in the last one (by its
    logs), else of all jobs so far.
    """

    def __init__(self, rules: list[str], results: str | Path, cores: int, clock=time.time):
        super().__init__(logging.INFO)
        self.left = Counter(rules)
        self.past = {kind: row["wall"] / row["jobs"] for kind, row in by_kind(results).items()}
        self.cores = cores
        self.clock = clock
        self.running: dict[int, tuple[str, str, float]] = {}  # job -> rule, message, begin
        self.done: dict[str, list[float]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(getattr(record, "event", None), "value", None)
        if event == "job_info":
            message = record.rule_msg or record.rule_name
            self.running[record.jobid] = (record.rule_name, message, self.clock())
        elif event == "job_finished" and record.job_id in self.running:
            rule, _, begin = self.running.pop(record.job_id)
            self.left[rule] -= 1
            self.done.setdefault(rule, []).append(self.clock() - begin)
        elif event == "progress" and record.done < record.total:
            print(self.line(), flush=True)

    def line(self) -> str:
        now = [message for _, message, _ in self.running.values()]
        shown = f"; now: {', '.join(now[:2])}" if now else ""
        more = f" and {len(now) - 2} more" if len(now) > 2 else ""
        return f"About {_spoken(self.seconds_left())} left{shown}{more}"

    def seconds_left(self) -> float:
        all_done = [seconds for times in self.done.values() for seconds in times]
        usual = sum(all_done) / len(all_done) if all_done else 1.0
        work = sum(count * self._expected(rule, usual) for rule, count in self.left.items())
        for rule, _, begin in self.running.values():
            work -= min(self.clock() - begin, self._expected(rule, usual))
        return work / min(self.cores, max(1, self.left.total()))

    def _expected(self, rule: str, usual: float) -> float:
        times = self.done.get(rule)
        return sum(times) / len(times) if times else self.past.get(_kind(rule), usual)


def _kind(rule: str) -> str:
    """aggregate_hu_fig1 -> aggregate: the folder of its logs."""
    return rule.removeprefix("check_").split("_")[0]


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
