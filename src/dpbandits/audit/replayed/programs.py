"""The grey-box audit of functions and learners: run on D, replayed on its neighbours, and sampled
where the replay suspects a leak.

    dpbandits audit --learner rnm-ftnl --set epsilon=1 horizon=6 variant=printed
    dpbandits audit --function noisy_max:winner --noise recorded --set data='[0,1,1]' epsilon=1

All data sets and neighbours of a small table are tried; of larger ones as many at random. The
folder `recorded` runs, compares and judges.
"""

import copy
import inspect
import math
from collections.abc import Callable
from itertools import islice, product

import numpy as np
from pydantic import ConfigDict, Field
from scipy.special import ndtr

from dpbandits.audit.replayed.fresh import heard
from dpbandits.audit.replayed.generator import Port, Recorder, recorded
from dpbandits.audit.replayed.judge import (
    SIMPLE,
    Auditor,
    Claim,
    Pair,
    Program,
    RecordedAudit,
    short,
)
from dpbandits.audit.sampled.function import FunctionParams, Kinds, distinct, load, neighbours_of
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.attack import share
from dpbandits.core.errors import InputError
from dpbandits.core.learner import DEFAULTS, Learner
from dpbandits.core.models import Model, parse
from dpbandits.core.port import SimulatedNoise

MOST_PAIRS = 1500
SECONDS = 8.0  # for replays: of a slow program fewer pairs are tried


# Functions of (data, generator)
class RecordedParams(FunctionParams):
    """What `dpbandits audit --function NAME --noise recorded` takes by --set."""

    data: list | None = Field(None, description="records, as JSON; left out: all data sets")
    records: int = Field(3, ge=1, le=1000, description="size of these data sets")
    sizes: bool = Field(False, description="all sizes from 1 to `records`")
    values: list | None = Field(
        None, min_length=1, description="values of a record; left out: 0 and 1"
    )
    neighbours: Kinds = Field("replace", description="any of replace, remove, add, flip")
    runs: int = Field(20_000, ge=0, le=10**8, description="runs that check a suspicion; 0: none")
    transcripts: int = Field(4, ge=1, le=1000, description="recorded runs of each data set")
    tries: int = Field(MOST_PAIRS, ge=4, le=10**6, description="pairs that are tried")


def function_program(function: Callable) -> Program:
    def run(target, data, generator):
        with heard() as more:
            output = target(data, generator)
        return [output, *more] if more else output

    def record(target, data, tape):
        with recorded(tape) as generator:
            return run(target, data, generator)

    return Program(function, run, record)


def audit_recorded_function(function: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of `function(data, generator)`."""
    p, kinds = params, params.neighbours.split(",")
    if p.data is None:
        sizes = range(1, p.records + 1) if p.sizes else [p.records]
        pairs, covered = table(sizes, p.values or [0, 1], kinds, p.tries, p.seed)
    elif p.neighbour is not None:
        pairs, covered = [Pair(p.data, p.neighbour, None)], "the data and the neighbour"
    else:
        if p.values is None and not {repr(x) for x in p.data} <= {"0", "1"}:
            raise InputError("values: missing: give all that a record may be, e.g. [0, 1, 100]")
        near = neighbours_of(p.data, p.values or [0, 1], kinds)
        pairs, covered = (
            [Pair(p.data, *x) for x in near],
            f"the data and neighbours by {p.neighbours}",
        )
    return judge(function_program(function), pairs, covered, p)


def judge(program, pairs, covered, p, claim=None) -> RecordedAudit:
    auditor = Auditor(program, claim or Claim(p.epsilon, p.delta), p.seed, p.transcripts)
    name = getattr(program.function, "__name__", "the function")
    try:
        auditor.start(pairs[0].data, pairs[0].neighbour)
        if not (auditor.hidden or auditor.failed):
            each = 1.3 * p.transcripts * (0.03 if auditor.forked else max(auditor.seconds, 1e-4))
            few = pairs[:: max(1, math.ceil(len(pairs) * each / SECONDS))]
            covered += (
                f"; {len(few)} of these pairs, for lack of time" if len(few) < len(pairs) else ""
            )
            auditor.replay(few)
        if not auditor.found:
            auditor.found = pairs
        return auditor.judged(covered, getattr(p, "runs", 20_000))
    except (TypeError, RuntimeError) as error:
        auditor.failed = f"{name}: an outcome cannot be compared ({error}); allowed: {SIMPLE}"
        auditor.found = []
        return auditor.judged(covered, 0)


def table(sizes, values, kinds, tries, seed):
    """(pairs: of all data sets, or of as many at random, in both directions, what they are)."""
    values, rng, pairs, every = distinct(values), np.random.default_rng(seed), [], True
    each = len(kinds) * max(1, len(values) - 1)
    for n in sizes:
        most = max(1, tries // (len(sizes) * n * each))
        if len(values) ** n <= most:
            sets = [list(x) for x in product(values, repeat=n)]
        else:
            every = False
            ends = [[v] * n for v in values]
            places = rng.integers(len(values), size=(most, n)).tolist()
            sets = (ends + [[values[i] for i in x] for x in places])[: max(most, 2)]
        for data in distinct(copy.deepcopy(sets)):
            near = list(neighbours_of(data, values, kinds))
            if len(near) > tries:
                near = [near[i] for i in rng.permutation(len(near))[:tries]]
            pairs += [Pair(data, *x) for x in near]
            pairs += [Pair(x, data, i) for x, i in near if len(x) != len(data)]
    pairs.sort(key=lambda pair: repr(pair.data))
    what = "all data sets" if every else "some data sets"
    size = f"{min(sizes)} to {max(sizes)}" if len(sizes) > 1 else str(sizes[0])
    return pairs, f"{what} of {size} records by {', '.join(kinds)} with the values {short(values)}"


def assert_private(function, *, epsilon=1.0, delta=0.0, records=3, values=None, neighbours="replace,remove",
                   allow: tuple = (), **more) -> RecordedAudit:  # fmt: skip
    """Passes if no leak is seen, on data sets of 1 to `records` records; else an AssertionError says
    data, neighbour, line and movement. allow: "not judged" and "suspected" may pass."""
    found = audit_recorded_function(function, RecordedParams(epsilon=epsilon, delta=delta, records=records, sizes=True,
                                                             values=values, neighbours=neighbours, **more))  # fmt: skip
    kind = (
        "suspected"
        if found.suspected
        else ""
        if found.within
        else "refuted"
        if found.refuted
        else "not judged"
    )
    if kind and kind not in allow:
        raise AssertionError(found.verdict)
    return found


# Learners
class RecordedLearner(Model):
    """What `dpbandits audit --learner NAME` takes by --set, besides the keys of the learner."""

    model_config = ConfigDict(extra="allow", frozen=True)
    epsilon: float = Field(1.0, gt=0, description="epsilon of the learner")
    horizon: int = Field(6, ge=1, le=10_000, description="number of rounds")
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
        decisions = []
        context = getattr(learner, "takes_context", False)
        alone = len(inspect.signature(learner.update).parameters) == 1
        if delay is not None:
            service = DEFAULTS | {"name": "", "rewards": "clip", "delay": delay}
            learner, comes = Learner(learner, service | {"noise": "", "epsilon": 1.0}, None), {}
        read = getattr(learner, "read_context", lambda x: x)  # as the driver does
        for t, record in enumerate(data, start=1):
            parts = list(record) if context or delay is not None else [record]
            late = parts.pop() if delay is not None else None
            reward, *parts = parts.pop(), *map(read, parts)
            action = learner.act(*parts)
            decisions.append(int(action) if delay is not None else action)
            if delay is None:
                reward = np.array(reward, float) if np.ndim(reward) else float(reward)
                learner.update(*(() if alone else decisions[-1:]), reward, *parts)
                continue
            if late is not None:
                comes.setdefault(t + int(late), []).append((action.ticket, reward))
            for ticket, reward in comes.pop(t, ()):
                learner.update(reward, ticket)
        final = learner.act(*([read(last)] if context else []))
        decisions.append(int(final) if delay is not None else final)
        return decisions

    def record(target, data, tape):
        generator = np.random.default_rng(tape.rng.integers(2**62)) if trusted else Recorder(tape)
        return play(target(Port(tape), generator), data)

    def run(target, data, generator):
        return play(target(SimulatedNoise(generator), generator), data)

    return Program(make, run, record, joint, trusted)


def audit_learner_class(make: Callable, params: RecordedParams) -> RecordedAudit:
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
        params = parse(RecordedParams, keys, f"audit --learner {name}")
        return audit_learner_class(load(name, "--learner", (1.0, None, None)), params)
    entry = ALGORITHMS.get(name, "audit --learner")
    where = f"audit --learner {entry.name}"
    if entry.learner is None:
        with_port = [n for n, e in ALGORITHMS.all().items() if e.learner is not None and e.private]
        raise InputError(f"{where}: it has no noise port; allowed: {', '.join(sorted(with_port))}")
    p = parse(RecordedLearner, keys, where)
    options = dict(p.model_extra or {})
    cls = entry.learner
    if "arms" not in options and hasattr(cls, "full_information"):
        options["arms"] = 2
    if "horizon" in inspect.signature(cls.from_user).parameters:
        options["horizon"] = max(1, p.horizon - (p.delay or 0))  # as many rewards count
    arguments, setting = cls.from_user(entry.setting, **options)

    def make(noise, rng):
        return cls(**arguments, epsilon=p.epsilon, noise=noise, rng=rng)

    delta = entry.notion.delta
    if delta is None:
        delta = getattr(setting, "delta", 0.0) if entry.notion.name != "pure" else 0.0
    values, decode = records_of(cls, setting, arguments)
    last = decode and decode[1](np.zeros(decode[0]))[0]
    program = learner_program(make, entry.notion.joint, last, trusted=True, delay=p.delay)
    if p.delay is not None:
        values, decode = _with_arrivals(p.delay, values, decode)
    if decode is not None:  # records at random
        width, record = decode
        rng = np.random.default_rng(p.seed)
        values = [record(rng.standard_normal(width) * c) for c in (0.3, 1, 3) for _ in range(8)]
    pairs, covered = table([p.horizon], values, ["replace"], p.tries, p.seed)
    return judge(program, pairs, covered, p, Claim(p.claim or p.epsilon, delta))


def _with_arrivals(delay: int, values, decode):
    """Records whose rewards come at once, just in time, too late or never: a neighbour by replace
    changes, delays or drops a reward."""
    lates = [0, delay, delay + 1, None] if delay else [0]
    if decode is None:
        return [(value, late) for value in values for late in lates], None
    width, record = decode
    return values, (width + 1, lambda x: (*record(x[1:]), _one_of(lates, x[0])))


def records_of(cls, setting, arguments):
    """(values of a record, or (), how to decode one from normal variables)."""
    if not getattr(cls, "takes_context", False):
        arms = arguments["K"]
        if getattr(cls, "full_information", False):
            return [list(x) for x in islice(product((0, 1), repeat=arms), 2**10)], None
        return [0, 1], None
    if hasattr(setting, "d"):  # sparse: contexts (arms x d), a reward
        shape = getattr(setting, "context_shape", (setting.arms, setting.d))
        size = math.prod(shape) + 1
        return (), (size, lambda x: (4 * x[1:].reshape(shape), float(10 * x[0])))
    dim, side, bound = setting.context_dim, setting.grid, setting.bound

    def point(x):  # a context at the centre of a cell, and a reward
        cells = np.minimum((ndtr(x[1:]) * side).astype(int), side - 1)
        return ((cells + 0.5) / side).tolist(), float(bound * (2 * share(x[0]) - 1))

    return (), (dim + 1, point)


def _one_of(values, x: float):
    """All are as likely if x is a normal variable."""
    return values[min(int(ndtr(x) * len(values)), len(values) - 1)]
