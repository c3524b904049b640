"""Audits of a user's own data: the privacy loss that its regularised policy really has.

The loss is that of this data set (the paper's bounds are per data set too): the worst over its
neighbours, both directions. It says nothing of other data sets, and it is itself a function of the
data: publishing it, or a configuration chosen by it, is a release of its own.
"""

from functools import partial

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import PrivacyLoss, mechanism, named
from dpbandits.offline.bandit import loss as bandit_loss
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import boxes
from dpbandits.offline.linear.boxes import MOST_DIMENSIONS
from dpbandits.offline.linear.certificate import AdditionCertificate
from dpbandits.offline.linear.loss import KINDS as LINEAR_KINDS
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.swaps import swaps
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.inputs import (
    BanditAudit,
    LinearParams,
    PreferenceParams,
    kinds_of,
    read_bandit,
    read_linear,
    read_preferences,
)
from dpbandits.offline.mechanisms.theorems import linear_bounds, preference_bounds
from dpbandits.offline.preference import boxes as preference_boxes
from dpbandits.offline.preference.loss import KINDS as PREFERENCE_KINDS
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import SeparableData

CLOSE = 1.001  # a bound this close to the loss attained is not improved any more


# --- multi-armed bandit -----------------------------------------------------------------------
@mechanism("kl-mab", params=BanditAudit, examples=examples.PLAYED)
def audit_bandit(params: BanditAudit, at_epsilon=()) -> PrivacyLoss:
    """Policy (8) on a file of arm, reward; exact over all neighbours."""
    kinds = kinds_of(params.neighbours, bandit_loss.KINDS)
    played = read_bandit(params)
    worst = bandit_loss.exact_loss(
        played.data,
        params.eta,
        params.beta0,
        params.reward_max,
        kinds,
        at_epsilon,
        played.log_reference,
    )
    for found in worst.found():
        if found.get("kind") in ("remove", "swap"):
            same = (played.arms == found["arm"]) & (played.rewards == found["reward"])
            found["row"] = int(np.argmax(same)) + 1
    for found in worst.found() if played.names else ():
        found |= {k: played.names[found[k]] for k in ("arm", "to_arm") if type(found.get(k)) is int}
    largest = "the names in the data" if played.names else "the largest arm in the data"
    told = {
        "arms": played.data.arms,
        "arms_from": "the reference file" if params.reference else largest,
    }
    return PrivacyLoss(worst.pure, worst.delta, described(worst) | told, "exact")


def described(worst: Worst) -> dict:
    """The worst neighbour of the pure loss, and of each delta that is not 0."""
    at = {named(e): found for e, found in worst.neighbour_at.items() if worst.delta[e] > 0}
    return worst.neighbour | ({"at_epsilon": at} if at else {})


# --- linear contextual bandit -----------------------------------------------------------------
@mechanism("kl-linear", params=LinearParams, examples=examples.LINE)
def audit_linear(params: LinearParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (10) on a file of x1..xd, reward, at the context whose actions are given."""
    kinds = kinds_of(params.neighbours, LINEAR_KINDS)
    return linear_loss(read_linear(params), kinds, at_epsilon)


def linear_loss(audit: LinearAudit, kinds=("remove", "add"), at_epsilon=()) -> PrivacyLoss:
    return _loss(audit, kinds, at_epsilon, linear_additions, swaps, linear_bounds)


def _loss(audit, kinds, at_epsilon, additions, swapped, theorem) -> PrivacyLoss:
    """Over these kinds of neighbours; additions and swaps give bounds besides what they find."""
    worst, bounds = Worst(at_epsilon), []
    if "remove" in kinds:
        audit.removals(worst)
    if "flip" in kinds:
        audit.flips(worst)
    if "add" in kinds:
        bounds.append(additions(audit, worst))
    if "swap" in kinds:
        found = Worst(at_epsilon)
        bounds.append(swapped(audit, found))
        worst.merge(found)
    return concluded(worst, bounds, audit.log_reference, partial(theorem, audit, kinds))


def linear_additions(audit: LinearAudit, worst: Worst) -> dict:
    """The worst found go to `worst`; returned: {None: bound of the pure loss, eps: of delta}."""
    certificate = AdditionCertificate(audit)
    bounds = {None: certificate.ratios.pure}
    bounds |= {epsilon: certificate.delta(epsilon) for epsilon in worst.delta}
    added = Worst(worst.delta)
    audit.additions(added, certificate.points)
    worst.merge(added)
    if audit.features.shape[1] <= MOST_DIMENSIONS:
        sharpen(bounds, worst, added, partial(boxes.certified_additions, audit))
    return bounds


def sharpen(bounds: dict, worst: Worst, added: Worst, by_boxes) -> None:
    """Where a bound is not yet close to what is attained, branch and bound over boxes."""
    reached = {None: added.pure, **added.delta}
    for epsilon, attained in {None: worst.pure, **worst.delta}.items():
        if bounds[epsilon] > CLOSE * attained:
            bounds[epsilon] = min(bounds[epsilon], by_boxes(reached[epsilon], epsilon))


def concluded(worst: Worst, bounds: list[dict], log_reference, theorem) -> PrivacyLoss:
    """Exact if the worst neighbour is an enumerated one, provably; else proven upper bounds.

    exact: the values are attained, and no neighbour is worse. certified: the values are proven
    upper bounds; "attained" are those of the neighbours shown, "gap" how far they are below.
    bound: so too, by the repaired theorem that is named, wherever it is below what is certified;
    or, without a "gap", nothing is proved and the values are those of the neighbours shown.
    """
    if np.isfinite(log_reference).sum() == 1:
        bounds = []  # the only action has probability 1, whatever the data
    found = described(worst)
    attained = {None: worst.pure, **worst.delta}
    most = {key: max([v, *(b[key] for b in bounds)]) for key, v in attained.items()}
    most |= {e: min(most[e], 1.0) for e in worst.delta}
    if most == attained:
        return PrivacyLoss(worst.pure, worst.delta, found, "exact")
    method, proved = "certified", theorem()
    promised = {key: proved.pure if key is None else proved.delta(key) for key in most}
    lower = {key: max(attained[key], promised[key]) for key in most}
    if any(lower[key] < most[key] for key in most):
        method, most = "bound", {key: min(lower[key], most[key]) for key in most}
        found["theorem"] = f"{proved.name} (docs/proofs/KL.md)"
    if np.isinf(most[None]) and np.isfinite(worst.pure):
        return PrivacyLoss(worst.pure, worst.delta, described(worst), "bound")
    deltas = {e: 0.0 if e >= most[None] else most[e] for e in worst.delta}
    label = {key: "pure" if key is None else named(key) for key in attained}
    found["attained"] = {label[key]: value for key, value in attained.items()}
    found["gap"] = {label[key]: most[key] - value for key, value in attained.items()}
    return PrivacyLoss(most[None], deltas, found, method)


# --- RLHF -------------------------------------------------------------------------------------
@mechanism("kl-rlhf", params=PreferenceParams, examples=examples.DUELS)
def audit_preferences(params: PreferenceParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (11) on a file of x1..xd, label; the MLE over ||theta|| <= B (inf: unconstrained)."""
    kinds = kinds_of(params.neighbours, PREFERENCE_KINDS)
    audit = read_preferences(params)
    try:
        return preference_loss(audit, kinds, at_epsilon)
    except SeparableData as error:
        raise InputError(f"{params.data}: {error}") from None


def preference_additions(audit: PreferenceAudit, worst: Worst) -> dict:
    """As linear_additions."""
    added = Worst(worst.delta)
    audit.additions(added)
    worst.merge(added)
    bounds = audit.addition_bounds(worst.delta)
    if len(audit.theta) <= MOST_DIMENSIONS:
        sharpen(bounds, worst, added, partial(preference_boxes.certified_additions, audit))
    return bounds


def preference_loss(audit: PreferenceAudit, kinds=("remove", "add"), at_epsilon=()) -> PrivacyLoss:
    parts = preference_additions, PreferenceAudit.swaps, preference_bounds
    return _loss(audit, kinds, at_epsilon, *parts)
