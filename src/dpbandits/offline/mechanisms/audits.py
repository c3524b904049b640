"""Audits of a user's own data: the privacy loss that its regularised policy really has.

The loss is that of this data set (the paper's bounds are per data set too): the worst over its
neighbours, both directions. It says nothing of other data sets, and it is itself a function of the
data: publishing it, or a configuration chosen by it, is a release of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import PrivacyLoss, mechanism, named
from dpbandits.core.models import Model
from dpbandits.offline.losses import bandit as bandit_loss
from dpbandits.offline.losses.linear import KINDS as LINEAR_KINDS
from dpbandits.offline.losses.preference import KINDS as PREFERENCE_KINDS
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.inputs import (
    BanditParams,
    LinearParams,
    PreferenceParams,
    kinds_of,
    read_bandit,
    read_linear,
    read_preferences,
)
from dpbandits.offline.mechanisms.theorems import Bounds, linear_bounds, preference_bounds
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.neighbours import ENUMERATED, Worst


@mechanism("kl-mab", params=BanditParams, examples=examples.PLAYED)
def audit_bandit(params: BanditParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (8) on a file of arm, reward; exact over all neighbours."""
    kinds = kinds_of(params.neighbours, bandit_loss.KINDS)
    file = read_bandit(params)
    options = params.eta, params.beta0, params.reward_max, kinds, at_epsilon
    worst = bandit_loss.exact_loss(file.data, *options, log_reference=file.log_reference)
    for neighbour in worst.found():
        if neighbour.get("kind") in ("remove", "swap"):
            same = (file.arms == neighbour["arm"]) & (file.rewards == neighbour["reward"])
            neighbour["row"] = int(np.argmax(same)) + 1
        for key in ("arm", "to_arm"):
            if file.names and type(neighbour.get(key)) is int:
                neighbour[key] = file.names[neighbour[key]]
    largest = "the names in the data" if file.names else "the largest arm in the data"
    arms_from = "the reference file" if params.reference else largest
    arms = {"arms": file.data.arms, "arms_from": arms_from}
    return PrivacyLoss(worst.pure, worst.delta, described(worst) | arms, "exact")


@dataclass(frozen=True)
class Policy:
    """Policy (10) or (11): `read(params)` makes an audit of a user's files, `bounds(audit, kinds)`
    is the repaired theorem at it."""

    params: type[Model]
    kinds: tuple[str, ...]
    read: Callable
    bounds: Callable[..., Bounds]

    def audit(self, params, at_epsilon) -> PrivacyLoss:
        kinds, audit = kinds_of(params.neighbours, self.kinds), self.read(params)
        worst = worst_of(params, audit, kinds, at_epsilon)
        return concluded(audit, kinds, worst, self.bounds(audit, kinds))


LINEAR = Policy(LinearParams, LINEAR_KINDS, read_linear, linear_bounds)
PREFERENCES = Policy(PreferenceParams, PREFERENCE_KINDS, read_preferences, preference_bounds)


@mechanism("kl-linear", params=LinearParams, examples=examples.LINE)
def audit_linear(params: LinearParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (10) on a file of x1..xd, reward, at the context whose actions are given."""
    return LINEAR.audit(params, at_epsilon)


@mechanism("kl-rlhf", params=PreferenceParams, examples=examples.DUELS)
def audit_preferences(params: PreferenceParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (11) on a file of x1..xd, label; the MLE over ||theta|| <= B (inf: unconstrained)."""
    return PREFERENCES.audit(params, at_epsilon)


def worst_of(params, audit, kinds, at_epsilon) -> Worst:
    """The worst neighbours; refused if one of them has no MLE."""
    try:
        return audit.worst(kinds, at_epsilon)
    except SeparableData as error:
        raise InputError(f"{params.data}: {error}") from None


def described(worst: Worst) -> dict:
    """The worst neighbour of the pure loss, and of each delta that is not 0."""
    at = {named(e): worst.neighbour_at[e] for e, delta in worst.delta.items() if delta > 0}
    return worst.neighbour | ({"at_epsilon": at} if at else {})


def is_exact(audit, kinds) -> bool:
    """Whether all neighbours are enumerated, or only one action has a probability (of 1)."""
    return ENUMERATED.issuperset(kinds) or np.isfinite(audit.log_reference).sum() == 1


def concluded(audit, kinds, worst: Worst, theorem: Bounds) -> PrivacyLoss:
    """Exact, or an upper bound by the repaired theorem, with the worst neighbours found below it.

    A theorem that says nothing here gives epsilon = inf and delta = 1 (0 at epsilon = inf).
    """
    if is_exact(audit, kinds):
        return PrivacyLoss(worst.pure, worst.delta, described(worst), "exact")
    deltas = {e: max(value, theorem.delta(e)) for e, value in worst.delta.items()}
    attained = {"pure": worst.pure} | {named(e): value for e, value in worst.delta.items()}
    found = described(worst) | {"attained": attained}
    worst_neighbour = {"found": found, "theorem": theorem.name}
    return PrivacyLoss(max(worst.pure, theorem.pure), deltas, worst_neighbour, "bound")
