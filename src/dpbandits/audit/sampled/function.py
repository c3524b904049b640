"""A lower bound on the privacy loss of any Python function, from running it.

    def mechanism(data, generator): ...     # data: a list of records; generator: numpy's

Outcomes are numbers, texts or vectors (see `outcomes`). A bound can refute a claim; it never shows
that a function is private.
"""

import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from dpbandits.audit.sampled.blackbox import CONFIDENCE, LowerBound, lower_bound
from dpbandits.audit.sampled.outcomes import same
from dpbandits.audit.sampled.processes import sample, samples
from dpbandits.core.errors import InputError, nearest, said

PROCESSES, SINGLES = 8, 300
WIDEST = 2 * 10**6  # numbers of all outcomes of a data set
KINDS = ("replace", "remove", "add", "flip")


def _kinds(value: str) -> str:
    if not set(value.split(",")) <= set(KINDS):
        raise ValueError(f"allowed: a comma list of {', '.join(KINDS)}")
    return value


Kinds = Annotated[str, AfterValidator(_kinds)]


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
