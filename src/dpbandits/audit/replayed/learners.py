"""The grey-box audit of learners: what they play and release, on rewards and neighbouring ones.

dpbandits audit --learner rnm-ftnl --set epsilon=1 horizon=6 variant=printed
"""

import inspect
import time
from collections.abc import Callable

import numpy as np
from pydantic import ConfigDict, Field
from scipy.special import ndtr

from dpbandits.audit.replayed.functions import MOST_PAIRS, FunctionParams, judge, load, table
from dpbandits.audit.replayed.generator import Port, Recorder
from dpbandits.audit.replayed.judge import RecordedAudit
from dpbandits.audit.replayed.pairs import Claim, Program, Replays
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.errors import InputError
from dpbandits.core.learner import DEFAULTS, Learner
from dpbandits.core.models import Model, parse
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.problem import Records

LONGEST, SECONDS = 6 * 2**9, 3.0  # of a horizon that is searched, and for a run of it


class RecordedLearner(Model):
    """What `dpbandits audit --learner NAME` takes by --set, besides the keys of the learner."""

    model_config = ConfigDict(extra="allow", frozen=True)
    epsilon: float = Field(1.0, gt=0, description="epsilon of the learner")
    horizon: int | None = Field(
        None, ge=1, le=10_000,
        description="number of rounds; left out: until each line that noises does it twice",
    )  # fmt: skip
    transcripts: int = Field(4, ge=1, le=1000, description="runs of each data set")
    claim: float | None = Field(None, gt=0, description="claimed epsilon; left out: the learner's")
    delay: int | None = Field(
        None, ge=0, description="of the service; left out: the algorithm alone, without a driver"
    )
    seed: int = Field(0, ge=0, description="seed of the noise and of the search")
    tries: int = Field(MOST_PAIRS, ge=4, le=10**6, description="pairs that are tried")
    runs: int = Field(20_000, ge=0, description="runs that check a suspicion")


def learner_program(make, joint=False, last=None, trusted=False, delay=None) -> Program:
    """A learner's decisions, the last of them in the context `last`. With a delay the learner is
    behind the driver of a service, and a record ends with how many rounds later its reward comes
    (None: never)."""

    def play(learner, data):
        context = getattr(learner, "takes_context", False)
        if delay is None:
            read = getattr(learner, "read_context", lambda x: x)  # as the driver does
            final = [read(last)] if context else []
            return [*_alone(learner, data, context, read), learner.act(*final)]
        service = DEFAULTS | {"algorithm": "", "rewards": "clip", "delay": delay}
        learner = Learner(learner, service | {"noise": "", "epsilon": 1.0}, None)
        return [*_served(learner, data), int(learner.act(*([last] if context else [])))]

    def record(start, data, tape):
        generator = np.random.default_rng(tape.rng.integers(2**62)) if trusted else Recorder(tape)
        return play(start()(Port(tape), generator), data)

    def run(target, data, generator):
        return play(target(SimulatedNoise(generator), generator), data)

    return Program(make, run, record, joint, trusted)


def _alone(learner, data, context, read) -> list:
    takes_arm, decisions = len(inspect.signature(learner.update).parameters) > 1, []
    for record in data:
        *point, reward = record if context else [record]
        point = list(map(read, point))
        decisions.append(learner.act(*point))
        reward = np.array(reward, float) if np.ndim(reward) else float(reward)
        learner.update(*decisions[-1:][:takes_arm], reward, *point)
    return decisions


def _served(learner: Learner, data) -> list[int]:
    decisions, comes = [], {}
    for t, (*point, reward, late) in enumerate(data, start=1):
        action = learner.act(*point)
        decisions.append(int(action))
        if late is not None:
            comes.setdefault(t + int(late), []).append((action.ticket, reward))
        for ticket, value in comes.pop(t, ()):
            learner.update(value, ticket)
    return decisions


def audit_learner_class(make: Callable, params: FunctionParams) -> RecordedAudit:
    """The grey-box audit of any learner: `make(epsilon, noise, rng)` starts one, with a noise port
    and a NumPy generator; it has `act()`, and `update(arm, reward)` or `update(reward)`; or it has
    `takes_context`, `act(context)` and `update(arm, reward, context)`, and a record is [context,
    reward]."""
    p = params
    program = learner_program(lambda noise, rng: make(epsilon=p.epsilon, noise=noise, rng=rng))
    pairs, covered = table([p.records], p.values or [0, 1], ["replace"], p.tries, p.seed)
    return judge(program, pairs, covered, p)


def audit_learner(name: str, keys: dict) -> RecordedAudit:
    """The grey-box audit of a registered learner, or of the class package.module:Class."""
    if ":" in name:
        params = parse(FunctionParams, keys, f"audit --learner {name}")
        return audit_learner_class(load(name, "--learner", (1.0, None, None)), params)
    entry = ALGORITHMS.get(name, "audit --learner")
    where = f"audit --learner {entry.name}"
    if entry.learner is None:
        with_port = [n for n, e in ALGORITHMS.all().items() if e.learner is not None and e.private]
        raise InputError(f"{where}: it has no noise port; allowed: {', '.join(sorted(with_port))}")
    cls = entry.learner
    short = cls.usual_audit()
    if not set(keys) <= {"runs", "seed", "transcripts", "tries"}:
        short.pop("horizon", None)  # it is for the other keys as they are there
    p = parse(RecordedLearner, short | keys, where)
    options = dict(p.model_extra or {})

    def start(horizon: int):
        """(the program, values of its records, its delta) at this horizon."""
        known = inspect.signature(cls.from_user).parameters
        length = {"horizon": max(1, horizon - (p.delay or 0))}  # as many rewards count
        arguments, setting = cls.from_user(
            entry.setting, **options, **(length if "horizon" in known else {})
        )

        def make(noise, rng):
            return cls(**arguments, epsilon=p.epsilon, noise=noise, rng=rng)

        values, last = _values(cls.records(setting), p)
        program = learner_program(make, entry.notion.joint, last, trusted=True, delay=p.delay)
        return program, values, entry.delta(setting)

    horizon, rare = (p.horizon, "") if p.horizon else chosen_horizon(start, p)
    program, values, delta = start(horizon)
    pairs, covered = table([horizon], values, ["replace"], p.tries, p.seed)
    return judge(program, pairs, covered + rare, p, Claim(p.claim or p.epsilon, delta))


def chosen_horizon(start: Callable, p: RecordedLearner) -> tuple[int, str]:
    """(a horizon at which each line that noises does it twice in a run, which one does not)."""
    horizon = 6
    while True:
        program, values, _ = start(horizon)
        pairs, _ = table([horizon], values, ["replace"], 4, p.seed)
        replays = Replays(program, Claim(p.claim or p.epsilon), p.seed, 2)
        begun = time.perf_counter()
        replays.replay(pairs[:1])
        slow = time.perf_counter() - begun > SECONDS
        once = sorted(line for line, times in replays.met.items() if times < 2)
        if replays.met and not once:
            return horizon, ""
        if horizon >= LONGEST or slow:
            return horizon, f"; noised less than twice: {', '.join(once) or 'everything'}"
        horizon *= 2


def _values(records: Records, p) -> tuple[list, list | None]:
    """(values of a record, a context for the last action)."""
    last = records.decode and records.decode(np.zeros(records.width))[0]
    if records.decode is None and any(isinstance(x, tuple) for x in records.values):
        last = records.values[0][0]
    if p.delay is not None:
        records = _with_arrivals(p.delay, records)
    if records.decode is None:
        return list(records.values), last
    rng = np.random.default_rng(p.seed)
    drawn = [rng.standard_normal(records.width) * c for c in (0.3, 1, 3) for _ in range(8)]
    return [records.decode(x) for x in drawn], last


def _with_arrivals(delay: int, records: Records) -> Records:
    """Records whose rewards come at once, just in time, too late or never: a neighbour by replace
    changes, delays or drops a reward."""
    lates, decode = [0, delay, delay + 1, None] if delay else [0], records.decode
    if decode is None:
        parts = [x if isinstance(x, tuple) else (x,) for x in records.values]  # with its context
        return Records(tuple((*x, late) for x in parts for late in lates))
    return Records((), records.width + 1, lambda x: (*decode(x[1:]), _one_of(lates, x[0])))


def _one_of(values, x: float):
    """All are as likely if x is a normal variable."""
    return values[min(int(ndtr(x) * len(values)), len(values) - 1)]
