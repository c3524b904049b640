"""The grey-box audit of functions: run on D, replayed on its neighbours, and sampled where the
replay suspects a leak.

    dpbandits audit --function noisy_max:winner --set data='[0,1,1]' epsilon=1

All data sets and neighbours of a small table are tried; of larger ones as many at random.
"""

import copy
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from dpbandits.audit.replayed.generator import recorded
from dpbandits.audit.replayed.judge import Judge, RecordedAudit
from dpbandits.audit.replayed.pairs import Claim, Pair, Program, Replays, short, thinned
from dpbandits.audit.sampled.outcomes import ALLOWED, distinct, same
from dpbandits.audit.sampled.processes import child, heard, raised, usual
from dpbandits.core.errors import InputError, nearest, said
from dpbandits.core.models import Model

MOST_PAIRS = 1500
QUANTITIES, SECONDS = 300_000, 20.0  # for the replays: noised, and at most of a slow program
KINDS = ("replace", "remove", "add", "flip")


def _kinds(value: str) -> str:
    if not set(value.split(",")) <= set(KINDS):
        raise ValueError(f"allowed: a comma list of {', '.join(KINDS)}")
    return value


Kinds = Annotated[str, AfterValidator(_kinds)]


class FunctionParams(Model):
    """What `dpbandits audit --function NAME` takes by --set."""

    data: list | None = Field(
        None, description="records, as JSON: [0, 1, 1]; left out: all data sets"
    )
    neighbour: list | None = Field(
        None, description="a neighbouring list of records; left out: a search"
    )
    records: int = Field(5, ge=1, le=1000, description="the largest of these data sets")
    values: list | None = Field(
        None, min_length=1, description="values of a record; left out: 0 and 1"
    )
    neighbours: Kinds = Field(
        "replace,remove", description="any of replace, remove, add, flip; both directions"
    )
    runs: int = Field(20_000, ge=0, le=10**8, description="runs that check a suspicion; 0: none")
    delta: float = Field(0.0, ge=0, lt=1, description="delta of the claim")
    epsilon: float = Field(1.0, ge=0, description="epsilon of the claim")
    seed: int = Field(0, ge=0, description="seed of the generators")
    transcripts: int = Field(4, ge=1, le=1000, description="recorded runs of each data set")
    tries: int = Field(MOST_PAIRS, ge=4, le=10**6, description="pairs that are tried")


def load(name: str, option: str = "--function", takes: tuple = ([], None)) -> Callable:
    """The function of "package.module:function", from the path or the current folder; `takes` are
    arguments that it must accept."""
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise InputError(f"{option} {name}: allowed: package.module:function")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise InputError(f"{option} {name}: no module named '{error.name}'") from None
    except Exception as error:
        raise InputError(f"{option} {name}: {said(error)}") from None
    function = getattr(module, attribute, None)
    if not callable(function):
        public = [key for key, value in vars(module).items() if callable(value)]
        raise InputError(f"{option} {name}: no such function; {nearest(attribute, public)}")
    what = "(data, generator)" if option == "--function" else "(epsilon, noise, rng)"
    return callable_with(function, takes, f"{option} {name}", what)


def callable_with(
    function, takes: tuple = ([], None), where: str = "audit: function",
    what: str = "(data, generator)",
) -> Callable:  # fmt: skip
    """The function, if it can be called with these arguments, which are `what`."""
    try:
        inspect.signature(function).bind(*takes)
    except (TypeError, ValueError):
        raise InputError(f"{where}: allowed: a function of {what}") from None
    return function


def function_program(function: Callable) -> Program:
    """Its output is what it returns, prints and logs."""

    def run(target, data, generator):
        with heard() as more:
            output = target(data, generator)
        return [output, *more] if more else output

    def record(start, data, tape):
        with recorded(tape) as generator:
            return run(start(), data, generator)

    return Program(function, run, record)


def audit_function(function: Callable, params: FunctionParams, recorded=True) -> RecordedAudit:
    """The grey-box audit of `function(data, generator)`; if it is not `recorded`, by samples alone,
    which refute or do not judge."""
    p, kinds, program = params, params.neighbours.split(","), function_program(function)
    if p.neighbour is not None and (p.data is None or not _near(p.data, p.neighbour)):
        raise InputError("neighbour: allowed: data= with one record replaced, left out or added")
    error = ""
    if p.data is None:
        sizes, values = range(1, p.records + 1), p.values or [0, 1]
        error = child(lambda: _always_raised(program, values))
        pairs, covered = table(sizes, values, kinds, p.tries, p.seed)
    elif p.neighbour is not None:
        pairs, covered = [Pair(p.data, p.neighbour)], "the data and the neighbour"
        pairs += [Pair(p.neighbour, p.data)]
    else:
        if p.values is None and not {repr(x) for x in p.data} <= {"0", "1"}:
            raise InputError("values: missing: give all that a record may be, e.g. [0, 1, 100]")
        near = neighbours_of(p.data, p.values or [0, 1], kinds)
        pairs = [pair for x, i in near for pair in (Pair(p.data, x, i), Pair(x, p.data, i))]
        covered = f"the data and neighbours by {p.neighbours}"
    if not pairs:
        raise InputError("neighbours: none to try; give `values`, or neighbours=remove,replace")
    return judge(program, pairs, covered, p, recorded=recorded, error=error)


def _near(data: list, other: list) -> bool:
    """Whether one record is replaced, left out or added."""
    if abs(len(data) - len(other)) > 1:
        return False
    short, long = sorted((data, other), key=len)
    at = next((i for i, x in enumerate(short) if not same(x, long[i])), len(short))
    rest = short[at + (len(short) == len(long)) :]
    return len(long) > at and all(map(same, rest, long[at + 1 :]))


def _always_raised(program: Program, values: list) -> str:
    """The error of all runs on data sets of one record; "" if one of them has none."""
    error = ""
    for value in values:
        for shown in usual(program.run, program.function, [value], 3):
            if not raised(shown):
                return ""
            error = f"{raised(shown)}: {short(shown[3][1])}"
    return error


def judge(
    program: Program, pairs: list[Pair], covered: str, p, claim=None, recorded=True, error=""
) -> RecordedAudit:
    """error: of all runs on one record, by which nothing can be judged."""
    replays = Replays(program, claim or Claim(p.epsilon, p.delta), p.seed, p.transcripts)
    if error:
        text = f"with each record alone it raised {error}; data is a list of records, give values="
        return Judge(replays, covered, 0, pairs, recorded).said("not judged", None, text)
    replays.start(pairs[0].data, pairs[0].neighbour, recorded)
    if not replays.doubt:
        few = thinned(replays, pairs, QUANTITIES, SECONDS)
        covered += f"; {len(few)} of these pairs" if len(few) < len(pairs) else ""
        try:
            replays.replay(few)
        except TypeError as error:  # an outcome on other data
            replays.doubt = f"it returned {error}; allowed: {ALLOWED}"
    return Judge(replays, covered, p.runs, pairs, recorded).answer()


def table(sizes, values, kinds, tries: int, seed: int) -> tuple[list[Pair], str]:
    """(pairs: of all data sets, or of as many at random, in both directions, what they are)."""
    values, rng, pairs, every = distinct(values), np.random.default_rng(seed), [], True
    each = sum(max(1, len(values) - 1) if kind == "replace" else 1 for kind in kinds)
    for n in sizes:
        most = max(3, tries // (len(sizes) * n * each))
        if every := every and len(values) ** n <= most:
            sets = [list(x) for x in product(values, repeat=n)]
        else:
            ends = [[v] * n for v in distinct([values[0], values[-1], *values])]
            places = rng.integers(len(values), size=(most, n)).tolist()
            sets = (ends + [[values[i] for i in x] for x in places])[:most]
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


def neighbours_of(data: list, values: list, kinds: Iterable[str]) -> Iterator[tuple[list, int]]:
    """(neighbour, the place where it differs)."""
    for kind in kinds:
        for i, record in enumerate(data):
            if kind == "remove":
                yield data[:i] + data[i + 1 :], i
            elif kind == "flip" and repr(record) in ("0", "1"):
                yield [*data[:i], 1 - record, *data[i + 1 :]], i
            elif kind == "replace":
                others = (v for v in values if not same(v, record))
                yield from (([*data[:i], v, *data[i + 1 :]], i) for v in others)
        if kind == "add":
            yield from (([*data, v], len(data)) for v in values)


def played(make, choose, learn, start, data, generator) -> list[int]:
    """What a policy plays on these rewards, the last time after all of them."""
    policy = make(*[generator][: _arguments(make)])
    if start:
        getattr(policy, start)()
    decide, arms = getattr(policy, choose), []
    if learn is None:
        arms, last = [decide(None, None)], None
        for last in data:
            arms.append(decide(last, arms[-1]))
        return [int(arm) for arm in arms]
    for t, reward in enumerate([*data, None]):
        arms.append(int(decide(*[t][: _arguments(decide)])))
        told = getattr(policy, learn)
        if t < len(data):
            told(*([arms[-1], reward] if _arguments(told) > 1 else [reward]))
    return arms


def _arguments(function) -> int:
    """How many have to be given."""
    needed = inspect.signature(function).parameters.values()
    return sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in needed)
