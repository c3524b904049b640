"""The grey-box audit of functions and learners: run on D, replayed on its neighbours, no samples.

    dpbandits audit --learner rnm-ftnl --set epsilon=1 horizon=6 variant=printed
    dpbandits audit --function noisy_max:winner --noise recorded --set data='[0,1,1]' epsilon=1

All data sets and neighbours of a small table are tried; for larger ones `core.attack` climbs to the
largest loss. The folder `recorded` runs, compares and judges.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, product

import numpy as np
from pydantic import ConfigDict, Field
from scipy.special import ndtr

from dpbandits.audit.function import FunctionParams, Kinds, distinct, load, neighbours_of
from dpbandits.audit.recorded.choices import short
from dpbandits.audit.recorded.program import function_program, learner_program
from dpbandits.audit.recorded.replays import MOST_PAIRS, Claim, Replays
from dpbandits.audit.recorded.tape import Diverged
from dpbandits.audit.recorded.verdict import RecordedAudit, judged
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.attack import attack, share
from dpbandits.core.errors import InputError, said
from dpbandits.core.models import Model, parse

SEARCHED = 2000  # pairs


# Functions of (data, generator)
class RecordedParams(FunctionParams):
    """What `dpbandits audit --function NAME --noise recorded` takes by --set."""

    data: list | None = Field(None, description="records, as JSON; left out: all data sets")
    records: int = Field(3, ge=1, le=1000, description="size of these data sets")
    values: list | None = Field(
        None, min_length=1, description="values of a record; left out: 0 and 1"
    )
    neighbours: Kinds = Field("replace", description="any of replace, remove, add, flip")
    runs: int = Field(20_000, ge=0, le=10**8, description="runs that check a suspicion; 0: none")
    transcripts: int = Field(4, ge=1, le=1000, description="recorded runs of each data set")
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def audit_recorded_function(function: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of `function(data, generator)`."""
    p, kinds = params, params.neighbours.split(",")
    claim = Claim(p.epsilon, p.delta)
    replays = Replays(function_program(function), p.transcripts, p.seed, claim)
    with _named(f"audit --noise recorded: {getattr(function, '__name__', 'the function')}"):
        if p.data is None:
            covered = _all_or_search(replays, p, p.records, p.values or [0, 1], kinds)
        elif p.neighbour is not None:
            replays.try_all(p.data, [(p.neighbour, None)])
            covered = f"the data and the neighbour, {p.transcripts} runs each"
        else:
            if p.values is None and not {repr(x) for x in p.data} <= {"0", "1"}:
                raise InputError("values: missing: give all that a record may be, e.g. [0, 1, 100]")
            values = p.values or [0, 1]
            replays.try_all(p.data, neighbours_of(p.data, values, kinds))
            covered = f"the data and all neighbours by {_said(p, kinds, values)}"
        return judged(replays, covered, p.runs)


def _said(p, kinds, values) -> str:
    named = f" with the values {short(', '.join(map(str, values)))}" if values else ""
    return f"{', '.join(kinds)}{named}, {p.transcripts} runs each"


@contextmanager
def _named(code: str) -> Iterator[None]:
    """In this block what the code of others raises is wrong input, whose line names the code."""
    try:
        yield
    except InputError:
        raise
    except Diverged:
        raise InputError(
            f"{code} uses noise that an earlier run has left; start from nothing"
        ) from None
    except Exception as error:
        raise InputError(f"{code} raised {said(error)}") from error


def _all_or_search(replays, p, size, values, kinds, decode=None) -> str:
    """Try every data set of `size` of the values, if they are few; else search. What was covered.
    decode: (numbers, how they make a record), of normal variables; by default one of the values."""
    values = distinct(values)
    how = _said(p, kinds, values)
    if decode is None:
        sets = len(values) ** size
        if sets * size * max(1, len(values) - 1) <= MOST_PAIRS:
            for data in product(values, repeat=size):
                replays.try_all(list(data), neighbours_of(list(data), values, kinds))
            return f"all {sets} data sets of {size} records and all neighbours by {how}"
        decode = 1, lambda x: _one_of(values, x[0])
    width, record = decode

    def value(rows):
        return np.array([_try_row(replays, row, size, width, record, kinds) for row in rows])

    generator = np.random.default_rng(p.seed)
    columns = (size + 1) * width + 1
    attack(value, columns, p.tries, generator, parents=min(20, max(1, p.tries // 4)), children=5)
    return f"{replays.pairs} pairs that a search over {size} records found, by {how}"


def _one_of(values, x: float):
    """All are as likely if x is a normal variable."""
    return values[min(int(ndtr(x) * len(values)), len(values) - 1)]


def _try_row(replays, row, size, width, record, kinds) -> float:
    parts = row[1:].reshape(size + 1, width)
    *data, other = (record(part) for part in parts)
    place = _one_of(range(size), row[0])
    kind = kinds[int(abs(row[0]) * 1e6) % len(kinds)]
    pairs = list(neighbours_of(data, [other], [kind]))
    chosen = [pair for pair in pairs if pair[1] in (place, size)] or pairs[:1]
    return replays.try_all(data, chosen) if chosen else 0.0


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
    tries: int = Field(SEARCHED, ge=4, le=10**6, description="pairs that a search tries")


def audit_learner_class(make: Callable, params: RecordedParams) -> RecordedAudit:
    """The grey-box audit of any learner: `make(epsilon, noise, rng)` starts one, with a noise port
    and a NumPy generator; it has `act()`, and `update(arm, reward)` or `update(reward)`; or it has
    `takes_context`, `act(context)` and `update(arm, reward, context)`, and a record is [context,
    reward]."""
    p = params
    program = learner_program(lambda noise, rng: make(epsilon=p.epsilon, noise=noise, rng=rng))
    replays = Replays(program, p.transcripts, p.seed, Claim(p.epsilon, p.delta))
    with _named(f"audit --learner: {getattr(make, '__name__', 'the class')}"):
        covered = _all_or_search(replays, p, p.records, p.values or [0, 1], ["replace"])
        return judged(replays, covered, p.runs)


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
    replays = Replays(program, p.transcripts, p.seed, Claim(p.claim or p.epsilon, delta))
    if p.delay is not None:
        values, decode = _with_arrivals(p.delay, values, decode)
    return judged(replays, _all_or_search(replays, p, p.horizon, values, ["replace"], decode))


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
