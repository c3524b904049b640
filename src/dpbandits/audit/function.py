"""A lower bound on the privacy loss of any Python function, from running it.

    def mechanism(data, generator): ...     # data: a list of records; generator: numpy's

Outcomes are numbers, texts or vectors (see `engine.outcomes`). The neighbour is given, or searched:
all data sets with one record removed or replaced are tried with a tenth of the runs, and the most
promising one is measured by new runs. "No violation found" does not mean "private": the result says
which losses so many runs could have missed.
"""

import importlib
import inspect
import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from dpbandits.audit.blackbox import CONFIDENCE, LowerBound, detectable, log_ratio, lower_bound
from dpbandits.core.documents import parse_json
from dpbandits.core.errors import InputError, nearest, said
from dpbandits.core.mechanisms import json_number
from dpbandits.core.models import Model
from dpbandits.core.streams import key_of

PILOT = 10  # a search tries each neighbour with 1/PILOT of the runs


def _records(value):
    try:
        return parse_json(value, "records") if isinstance(value, str) else value
    except ValueError:
        raise ValueError("allowed: a JSON list, e.g. [0, 1, 1]") from None


def some_of(*kinds: str) -> AfterValidator:
    """Accept a comma list of these words."""

    def check(value: str) -> str:
        if not set(value.split(",")) <= set(kinds):
            raise ValueError(f"allowed: a comma list of {', '.join(kinds)}")
        return value

    return AfterValidator(check)


Records = Annotated[list, BeforeValidator(_records)]  # also as JSON


class FunctionParams(Model):
    """What `dpbandits audit --function` takes by --set."""

    data: Records = Field(min_length=1, description="the records, as JSON: [0, 1, 1]")
    neighbour: Records | None = Field(
        None, description="a neighbouring list of records; left out: a search"
    )
    values: Records | None = Field(
        None, description="what a record may be replaced by; left out: the records of `data`"
    )
    neighbours: Annotated[str, some_of("remove", "replace")] = Field(
        "remove,replace", description="neighbours that are searched: remove, replace or both"
    )
    runs: int = Field(20_000, ge=100, le=10**8, description="runs on each data set")
    delta: float = Field(0.0, ge=0, lt=1, description="delta of the claim")
    epsilon: float = Field(1.0, ge=0, description="epsilon of the claim")
    confidence: float = Field(CONFIDENCE, gt=0, lt=1, description="confidence of the lower bound")
    seed: int = Field(0, ge=0, description="seed of the generators")


@dataclass(frozen=True)
class FunctionAudit:
    """epsilon is a lower bound at `delta` and that confidence; 0 says that nothing was found."""

    epsilon: float
    delta: float
    confidence: float
    runs: int
    neighbour: list
    event: str  # whose frequencies give the bound
    likelier_under: str
    neighbours_tried: int
    largest_provable: float  # the largest bound that so many runs can give
    detectable: float  # a loss (of randomised response) that refutes the claim in 9 of 10 audits
    event_at_most: float  # with the same confidence, the loss on that event is at most this
    refuted: bool  # whether the claimed (epsilon, delta) is
    verdict: str

    def as_json(self) -> dict:
        numbers = {key: json_number(getattr(self, key)) for key in ("detectable", "event_at_most")}
        return asdict(self) | numbers


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
    try:
        inspect.signature(function).bind(*takes)
    except (TypeError, ValueError):
        what = "(data, generator)" if option == "--function" else "(epsilon, noise, rng)"
        raise InputError(f"{option} {name}: allowed: a function of {what}") from None
    return function


def neighbours_of(data: list, values: list | None = None, kinds="remove,replace") -> list[list]:
    """All data sets with one record removed, or replaced by one of `values`."""
    values = _distinct(data if values is None else values)
    remove, replace = (kind in kinds for kind in ("remove", "replace"))
    neighbours = [data[:i] + data[i + 1 :] for i in range(len(data)) if remove]
    for i, record in enumerate(data if replace else ()):
        neighbours += [[*data[:i], v, *data[i + 1 :]] for v in values if v != record]
    return _distinct(neighbours)


def _distinct(items: list) -> list:
    return list({json.dumps(item, sort_keys=True, default=str): item for item in items}.values())


def outcomes(function: Callable, data: list, runs: int, *coordinates) -> list:
    """Outcomes of independent runs; each choice of coordinates has a random stream of its own."""
    key = np.array([key_of("audit function", *coordinates), 0], np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key))
    name = getattr(function, "__name__", "the function")
    results = []
    for _ in range(runs):
        try:
            results.append(function(list(data), generator))
        except Exception as error:
            raise InputError(f"audit --function: {name} raised {said(error)}") from error
        if not _is_outcome(results[-1]):
            raise no_outcome(results[-1], f"audit --function: {name}")
    return results


def no_outcome(result, name: str) -> InputError:
    """The error for what is no outcome."""
    words = _in_words(result)
    if inspect.iscoroutine(result):
        result.close()  # else Python warns that it was never awaited
    allowed = "a number, a text, or a list or tuple of these"
    return InputError(f"{name} returned {words}; allowed: {allowed}")


def _in_words(result) -> str:
    try:
        return f"{result}"[:100]
    except Exception:  # thousands of digits, or whatever a `__str__` raises
        return f"a strange {type(result).__name__}"


def _is_outcome(value) -> bool:
    parts = value if isinstance(value, list | tuple) else np.ravel(value)
    kinds = (int, float, str, np.generic)
    return len(parts) > 0 and all(isinstance(p, kinds) and not _is_missing(p) for p in parts)


def _is_missing(value) -> bool:
    if isinstance(value, int):
        return abs(value) > sys.float_info.max
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def audit_function(function: Callable, params: FunctionParams) -> FunctionAudit:
    """A lower bound on the privacy loss of `function(data, generator)`, at a stated confidence.

    data: a list of records; generator: a NumPy generator; the result: a number, text or vector.
    The function is called `params.runs` times on each of two data sets, and fewer times on the
    others of a search. It can refute a claim; it never shows that a function is private.
    """
    p, given = params, params.neighbour
    if given is not None and len(given) == len(p.data) and all(map(np.array_equal, p.data, given)):
        raise InputError("neighbour: equal to the data; allowed: another list of records")

    def bound(neighbour: list, runs: int, part: str) -> LowerBound:
        samples = (
            outcomes(function, data, runs, p.seed, part, which, json.dumps(data, default=str))
            for which, data in enumerate((p.data, neighbour))
        )
        return lower_bound(*samples, delta=p.delta, confidence=p.confidence)

    candidates = [given] if given is not None else neighbours_of(p.data, p.values, p.neighbours)
    if not candidates:
        raise InputError("neighbours: none to try; give `values`, or neighbours=remove,replace")
    chosen = candidates[0]
    if len(candidates) > 1:
        pilot = max(100, p.runs // PILOT)
        chosen = max(candidates, key=lambda data: bound(data, pilot, "search").unclipped)
    measured = bound(chosen, p.runs, "measure")
    half, error = p.runs - p.runs // 2, (1 - p.confidence) / 4
    missed = detectable(p.epsilon, p.delta, p.runs, p.confidence)
    return FunctionAudit(
        epsilon=measured.epsilon,
        delta=p.delta,
        confidence=p.confidence,
        runs=p.runs,
        neighbour=chosen,
        event=measured.event,
        likelier_under="the neighbour" if measured.swapped else "the data",
        neighbours_tried=len(candidates),
        largest_provable=max(0.0, log_ratio(half, 0, half, p.delta, error)),
        detectable=missed,
        event_at_most=measured.at_most,
        refuted=measured.epsilon > p.epsilon,
        verdict=verdict(measured, p.epsilon, missed),
    )
