"""What theorems print, what holds instead, and the loss itself, of one mechanism.

    dpbandits bound rnm --set scale=2 arms=2 rounds=64 adjacency=replace

Each paper's folder `bounds` has its theorems, under `@theorem(NAME, params=...)`.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from dpbandits.core.mechanisms import (
    ROUNDING,
    Answer,
    Mechanism,
    Method,
    PrivacyLoss,
    checking,
    delta_of_pure,
    named,
)
from dpbandits.core.models import parse
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import registry_of

BOUNDS: Registry[Mechanism] = registry_of("bound", "bounds")


def theorem(name: str, *, params: type[BaseModel]):
    """Register `compare(params, at_epsilon) -> Comparison`."""
    return BOUNDS.register(name, lambda f: Mechanism(name, params, checking(f), f.__module__))


def bound(mechanism: str, *, at_epsilon: Iterable[float] = (), **keys: Any) -> "Comparison":
    """The printed and the corrected bound of a theorem beside the loss of a mechanism."""
    entry = BOUNDS.get(mechanism, "mechanism")
    return entry.compute(parse(entry.params, keys, f"bound {entry.name}"), at_epsilon)


@dataclass(frozen=True)
class Comparison(Answer):
    """The bounds of a theorem, printed and repaired, beside the loss itself.

    The loss is "exact"; where the method is bound it is "at_most" an upper bound, and the lower
    bound, where there is one, is "found".
    """

    pure_epsilon: dict[str, Any]  # printed, repaired, and of the loss exact, at_most or found
    delta_at: dict[float, dict[str, Any]]
    method: Method  # of the loss
    claims: tuple[str, ...]  # their rows of the ledger

    def refuted_here(self) -> list[str]:
        """Which printed values are below a loss that a neighbour attains."""
        values = {"pure_epsilon": self.pure_epsilon}
        values |= {f"delta_at {named(e)}": side for e, side in self.delta_at.items()}
        return [
            name
            for name, x in values.items()
            if x.get("exact", x.get("found", 0.0)) > x.get("printed", math.inf) * ROUNDING
        ]

    def as_json(self) -> dict:
        below = self.refuted_here()
        return ({"printed_below_the_loss": below} if below else {}) | super().as_json()


def compared(
    printed: float | None,
    repaired: float,
    loss: PrivacyLoss,
    claims: tuple[str, ...],
    promised=None,
) -> Comparison:
    """The comparison of theorems on the pure loss; where the printed one is on approximate privacy,
    `promised(epsilon)` is its delta. printed is None where no theorem is printed."""
    side = "at_most" if loss.method == "bound" else "exact"
    pure = {"printed": printed, "repaired": repaired, side: loss.pure_epsilon}
    deltas = {}
    for e, delta in loss.delta_at.items():
        said = promised(e) if promised else printed and delta_of_pure(printed, e)
        deltas[e] = {"printed": said, "repaired": delta_of_pure(repaired, e), side: delta}
    if printed is None:
        for values in (pure, *deltas.values()):
            del values["printed"]
    if loss.method == "bound":
        for e, values in deltas.items():
            where = loss.worst_neighbour.get("delta_at", {}).get(named(e), {})
            if "delta_at_least" in where:
                values["found"] = where["delta_at_least"]
    return Comparison(pure, deltas, loss.method, claims)


def approximate(epsilon: float, delta: float) -> Callable[[float], float]:
    """The delta that (epsilon, delta)-privacy implies, as a function of epsilon."""
    return lambda at: delta if at >= epsilon else 1 - (1 - delta) * math.exp(at - epsilon)
