"""Around the work of one job: its log and costs, the seals of its outputs, and no mixed sources."""

import json
import resource
import time
import traceback
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from dpbandits.core.compiled import COMPILED
from dpbandits.core.files import content, read_seal, seal_of, write_seal
from dpbandits.core.sources import read_now
from dpbandits.pipeline.provenance import raw


class Stale(RuntimeError):
    """What a job reads is not what the run was planned with."""


@contextmanager
def work(job):
    """Around the work of a Snakemake script (`job` is its `snakemake`).

    The inputs must be what their jobs wrote; the sources must be those of the plan, before and
    after: an edit or another branch while a run is under way must not end in its results. On
    success each output is sealed. Its costs and outputs, or the error, go to the log. To what is
    yielded, the hashes of the inputs, other files may be added that must stay what they are.
    """
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    startup, begin = time.process_time(), time.perf_counter()
    try:
        inputs = {path: _whole(path) for path in job.input}
        _unchanged(Path(job.params.recipe))
        for path in job.output:
            seal_of(path).unlink(missing_ok=True)
        yield inputs
        _unchanged(Path(job.params.recipe))
        for path in map(str, job.input):  # damaged before it was read, after we had looked?
            if content(path) != inputs[path]:
                raise Stale(f"{path} was damaged while it was read; run again")
        for path in job.output:
            write_seal(path, Path(job.params.recipe).stem, inputs)
    except BaseException:
        log.write_text(traceback.format_exc(), encoding="utf-8")
        raise
    record = {"startup_seconds": startup, "work_seconds": time.perf_counter() - begin, **_used()}
    said = {"rule": job.rule, "outputs": [*map(str, job.output)], "ended": _now()}
    said["compiled"] = {name: round(seconds, 3) for name, seconds in COMPILED.items()}
    text = json.dumps({key: round(value, 3) for key, value in record.items()} | said)
    log.write_text(f"{text}\n", encoding="utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _used() -> dict[str, float]:
    """CPU seconds and peak memory of this process and its children, as the system counted them."""
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    return {"cpu_seconds": cpu, "peak_mb": max(own.ru_maxrss, children.ru_maxrss) / 1024}


def _whole(path: str) -> str:
    """The content of an input, refused if its job wrote something else."""
    found, seal = content(path), read_seal(path)
    if seal and seal["content"] != found:
        raise Stale(f"{path} was damaged after it was made; run again, and it is made anew")
    return found


def _unchanged(recipe: Path) -> None:
    kept = json.loads(recipe.read_text(encoding="utf-8"))
    for name, before in kept["raw"].items():
        path = Path(name)
        if not path.is_file() or (raw(path) != before and not _same_meaning(path, kept["code"])):
            raise Stale(f"{path.name} changed while the run was under way; run again")


def _same_meaning(path: Path, code: dict[str, str]) -> bool:
    return path.suffix == ".py" and read_now(path).meaning in code.values()
