"""The audits from Python: `dpbandits.audit` and `dpbandits.calibrate`.

They take the keys that `dpbandits list NAME` shows, as keywords. The command line calls them too,
with texts.
"""

import functools
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from pydantic import Field

from dpbandits.core.errors import InputError, extras
from dpbandits.core.mechanisms import (
    CALIBRATORS,
    MECHANISMS,
    Calibration,
    Mechanism,
)
from dpbandits.core.models import LEAST_EPSILON, Model, parse, shown


@extras()
def audit(
    mechanism: str | None = None,
    *,
    learner: str | None = None,
    function: Callable | str | None = None,
    at_epsilon: Iterable[float] = (),
    **keys: Any,
):
    """The privacy loss of a mechanism, e.g. `audit("rnm", scale=2, arms=2, rounds=64,
    adjacency="replace", at_epsilon=(0.5,))`: a `PrivacyLoss`.

    Or of running code: `learner="rnm-ftnl"`, or a `function` of data and a generator (or its name
    "package.module:function"), whose draws are recorded and replayed on neighbours, or which is
    run many times (noise="sampled").
    """
    ways = [way for way in (mechanism, learner, function) if way is not None]
    if len(ways) != 1 or (mechanism is None and at_epsilon):
        allowed = "one of a mechanism (with at_epsilon=), learner=, function="
        raise InputError(f"audit: allowed: {allowed}")
    if mechanism is not None:
        return _computed(MECHANISMS, mechanism, keys, "audit", at_epsilon)
    from dpbandits.audit.replayed.functions import (
        FunctionParams,
        audit_function,
        callable_with,
        load,
    )
    from dpbandits.audit.replayed.learners import audit_learner

    if learner is not None:
        return audit_learner(learner, keys)
    code: Any = load(function) if isinstance(function, str) else callable_with(function)
    noise = keys.pop("noise", "recorded")
    if noise not in ("recorded", "sampled"):
        raise InputError(f"audit: noise = {shown(noise)}: allowed: recorded, sampled")
    return audit_function(code, parse(FunctionParams, keys, "audit"), noise == "recorded")


def assert_private(
    function: Callable, *, epsilon: float = 1.0, delta: float = 0.0, records: int = 5,
    values: list | None = None, neighbours: str = "replace,remove",
    allow: Iterable[str] = (), **more: Any,
):  # fmt: skip
    """Pass if no leak is seen in `function(data, generator)`, on data sets of 1 to `records`
    records; else an AssertionError says the data, the neighbour, the line and what moved there.

    allow: answers that may pass, too: "not judged", "suspected". More keys: those of
    `dpbandits.audit(function=...)`.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    allow = set(allow)
    if odd := allow - {"not judged", "suspected"}:
        raise InputError(f"allow: {shown(min(odd, key=str))}: allowed: not judged, suspected")
    found = audit(
        function=function, epsilon=epsilon, delta=delta, records=records, values=values,
        neighbours=neighbours, **more,
    )  # fmt: skip
    if found.answer not in ("no leak seen", *allow):
        raise AssertionError(found.verdict)
    return found


@contextmanager
def recorded(*modules: ModuleType):
    """`with recorded(module):` audits within it record also what these modules draw from functions
    of `numpy.random` and `random` that they imported by name, and execute the modules anew before
    they sample. (Calls as `np.random.laplace(...)` are recorded in any case.)"""
    from dpbandits.audit.sampled.processes import INSIDE

    INSIDE.extend(modules)
    try:
        yield
    finally:
        del INSIDE[len(INSIDE) - len(modules) :]


@extras()
def policy_program(
    make: Callable, *, choose: str = "choice", learn: str | None = "getReward", start: str = ""
) -> Callable:
    """A program for `audit` and `assert_private` from a policy of another library: records are
    rewards, the output is what it plays, the last time after all rewards.

    make: the class, or a function that makes a policy (of the generator, if it takes one argument).
    choose, learn, start: names of its methods. `learn` takes the arm and the reward, or the reward;
    None: `choose(last_reward, last_arm)` does both. A `choose` with one argument gets the round.
    """
    from dpbandits.audit.replayed.functions import played

    return functools.partial(played, make, choose, learn, start)


class Target(Model):
    """What a calibration aims at."""

    target_epsilon: float = Field(ge=LEAST_EPSILON)
    target_delta: float = Field(ge=0, lt=1)


@extras()
def calibrate(
    mechanism: str, *, target_epsilon: float, target_delta: float = 0.0, **keys: Any
) -> Calibration:
    """The smallest noise of a mechanism with which it really is (epsilon, delta)-private."""
    given = {"target_epsilon": target_epsilon, "target_delta": target_delta}
    target = parse(Target, given, "calibrate")
    goal = target.target_epsilon, target.target_delta
    return _computed(CALIBRATORS, mechanism, keys, "calibrate", *goal)


@extras()
def mechanisms() -> dict[str, Mechanism]:
    """Every mechanism that can be audited, by name."""
    return MECHANISMS.all()


def _computed(registry, name: str, keys: dict[str, Any], command: str, *arguments):
    entry = registry.get(name, "mechanism")
    return entry.compute(parse(entry.params, keys, f"{command} {entry.name}"), *arguments)
