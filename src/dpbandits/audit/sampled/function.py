"""A lower bound on the privacy loss of any Python function, from running it.

    def mechanism(data, generator): ...     # data: a list of records; generator: numpy's

Outcomes are numbers, texts or vectors (see `outcomes`). The neighbour is given, or searched:
all data sets with one record removed or replaced are tried with a tenth of the runs, and the most
promising one is measured by new runs. "No violation found" does not mean "private": the result says
which losses so many runs could have missed.
"""

import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from dpbandits.audit.sampled.blackbox import (
    CONFIDENCE,
    LowerBound,
    detectable,
    log_ratio,
    lower_bound,
)
from dpbandits.audit.sampled.outcomes import ALLOWED, same
from dpbandits.audit.sampled.processes import child, raised, sample, samples, usual
from dpbandits.core.errors import InputError, nearest, said
from dpbandits.core.models import Model
from dpbandits.core.streams import key_of

PROCESSES, SINGLES = 8, 300
WIDEST = 2 * 10**6  # numbers of all outcomes of a data set
PILOT = 10  # a search tries each neighbour with 1/PILOT of the runs
KINDS = ("replace", "remove", "add", "flip")


def _kinds(value: str) -> str:
    if not set(value.split(",")) <= set(KINDS):
        raise ValueError(f"allowed: a comma list of {', '.join(KINDS)}")
    return value


Kinds = Annotated[str, AfterValidator(_kinds)]


class FunctionParams(Model):
    """What `dpbandits audit --function` takes by --set."""

    data: list = Field(min_length=1, description="the records, as JSON: [0, 1, 1]")
    neighbour: list | None = Field(
        None, description="a neighbouring list of records; left out: a search"
    )
    values: list | None = Field(
        None, description="what a record may be replaced by; left out: the records of `data`"
    )
    neighbours: Kinds = Field(
        "remove,replace", description="neighbours: a comma list of replace, remove, add, flip"
    )
    runs: int = Field(20_000, ge=100, le=10**8, description="runs on each data set")
    delta: float = Field(0.0, ge=0, lt=1, description="delta of the claim")
    epsilon: float = Field(1.0, ge=0, description="epsilon of the claim")
    confidence: float = Field(CONFIDENCE, gt=0, lt=1, description="confidence of the lower bound")
    seed: int = Field(0, ge=0, description="seed of the generators")


@dataclass(frozen=True, kw_only=True)
class FunctionAudit(LowerBound):
    """The bound of the pair that was measured, and what it says of the claim."""

    neighbour: list
    neighbours_tried: int
    largest_provable: float  # the largest bound that so many runs can give
    detectable: float  # a loss (of randomised response) that refutes the claim in 9 of 10 audits
    refuted: bool  # whether the claimed (epsilon, delta) is
    verdict: str


def verdict(bound: LowerBound, epsilon: float, missed: float) -> str:
    """A sentence on the claim of `epsilon`; a loss of up to `missed` may have been missed."""
    claim = f"({epsilon:g}, {bound.delta:g})-DP"
    if bound.epsilon > epsilon:
        return f"violation found: not {claim}, with confidence {bound.confidence:.6g}"
    largest = "any loss" if missed == math.inf else f"a loss of up to {missed:.3g}"
    return (
        f"no violation of {claim} found; this does not show that the function is private: "
        f"{largest} may be missed, and only one pair of neighbours and one event were measured"
    )


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


def distinct(items: Iterable) -> list:
    return list({repr(item): item for item in items}.values())


def measured(
    run, function, pair, runs: int, seed: int, *, delta: float, confidence: float = CONFIDENCE,
    seconds: float = math.inf,
) -> tuple[LowerBound, str]:  # fmt: skip
    """A bound from runs in several new processes, and how they were made; if runs of one process
    depend on each other (answers that are kept, a generator of the module), from fewer processes
    of one run each."""
    single, runs = 0.0, max(2, runs)
    if seconds < math.inf:
        single, runs = affordable(run, function, pair[0], runs, seconds)
    processes = PROCESSES if runs >= 100 * PROCESSES else 2
    each = max(1, runs // processes)
    first, second = samples(run, function, pair, processes, each, seed)
    keys = {"delta": delta, "confidence": confidence}
    if first[0] == first[1] and any(x != first[0][0] for x in first[0]):  # a seed of its own
        first, second = samples(run, function, pair, 1, processes * each, seed)
    flat = [list(chain(*x)) for x in (first, second)]
    found = lower_bound(*flat, **keys, groups=processes)
    if not found.dispersed:
        return found, f"{len(flat[0])} runs in {len(first)} processes"
    singles = min(SINGLES, int(2 * seconds / single)) if single else SINGLES
    first, second = samples(run, function, pair, max(2, singles), 1, seed + 1)
    found = lower_bound(list(chain(*first)), list(chain(*second)), **keys)
    return found, f"{len(first)} processes of one run each, as runs of one depend on each other"


def affordable(run, function, data, runs: int, seconds: float) -> tuple[float, int]:
    """(the time of a process, how many of the runs of one data set so many seconds allow)."""
    times = [sum(os.times()[:4])]  # of one core, processes that ended included
    for n in (1, 101):
        wide = len(sample(run, function, data, n, 1)[0][1])
        times.append(sum(os.times()[:4]))
    once, many = np.diff(times)
    single, more = max(1e-3, once), max(1e-7, many - once) / 100
    return single, int(min(runs, max(400, WIDEST // max(1, wide)), seconds / more))


def audit_function(function: Callable, params: FunctionParams) -> FunctionAudit:
    """A lower bound on the privacy loss of `function(data, generator)`, at a stated confidence.

    data: a list of records; generator: a NumPy generator; the result: numbers, texts, and lists,
    dicts, arrays or dataclasses of these. The function is called `params.runs` times on each of
    two data sets, and fewer times on the others of a search. It can refute a claim; it never shows
    that a function is private.
    """
    p, given = params, params.neighbour
    name = f"audit --function: {getattr(function, '__name__', 'the function')}"
    if given is not None and same(list(p.data), list(given)):
        raise InputError("neighbour: equal to the data; allowed: another list of records")
    values = distinct(p.data if p.values is None else p.values)
    near = (x for x, _ in neighbours_of(p.data, values, p.neighbours.split(",")))
    candidates = [given] if given is not None else distinct(near)
    if not candidates:
        raise InputError("neighbours: none to try; give `values`, or neighbours=remove,replace")
    _refuse(function, p.data, name)

    def measure(neighbour, runs, part):
        seed = key_of("audit function", p.seed, part, repr(neighbour)) % 2**62
        pair = p.data, neighbour
        keys = {"delta": p.delta, "confidence": p.confidence}
        return measured(plainly, function, pair, runs, seed, **keys)[0]

    chosen = candidates[0]
    if len(candidates) > 1:
        pilot = max(100, p.runs // PILOT)
        chosen = max(candidates, key=lambda x: measure(x, pilot, "search").unclipped)
    found = measure(chosen, p.runs, "measure")
    half, error = p.runs - p.runs // 2, (1 - p.confidence) / 4
    missed = detectable(p.epsilon, p.delta, p.runs, p.confidence)
    return FunctionAudit(
        **vars(found),
        neighbour=chosen,
        neighbours_tried=len(candidates),
        largest_provable=max(0.0, log_ratio(half, 0, half, p.delta, error)),
        detectable=missed,
        refuted=found.epsilon > p.epsilon,
        verdict=verdict(found, p.epsilon, missed),
    )


def plainly(function, data, generator):
    return function(data, generator)


def _refuse(function, data, name: str) -> None:
    """What never gives an outcome."""
    try:
        shown = child(lambda: usual(plainly, function, data))
    except TypeError as error:
        raise InputError(f"{name} returned {error}; allowed: {ALLOWED}") from None
    if all(map(raised, shown)):
        raise InputError(f"{name} raised {raised(shown[0])}: {shown[0][3][1]}")
    if all(leaf is None for one in shown for _, leaf in one):
        raise InputError(f"{name} returned None; allowed: {ALLOWED}")
