"""Audits of a user's own data: the privacy loss that its regularised policy really has.

The loss is that of this data set (the paper's bounds are per data set too): the worst over its
neighbours, both directions. It says nothing of other data sets, and it is itself a function of the
data: publishing it, or a configuration chosen by it, is a release of its own.
"""

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field, PlainValidator

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.mechanisms import PrivacyLoss, mechanism, named
from dpbandits.core.models import Model, parse_epsilon
from dpbandits.offline.bandit import loss as bandit_loss
from dpbandits.offline.engine.quadratic_ratio import UNIT
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import boxes
from dpbandits.offline.linear.boxes import MOST_DIMENSIONS
from dpbandits.offline.linear.certificate import AdditionCertificate
from dpbandits.offline.linear.loss import KINDS as LINEAR_KINDS
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.swaps import swaps
from dpbandits.offline.mechanisms import examples, records
from dpbandits.offline.preference import boxes as preference_boxes
from dpbandits.offline.preference.loss import KINDS as PREFERENCE_KINDS
from dpbandits.offline.preference.loss import REACH, PreferenceAudit
from dpbandits.offline.preference.mle import SeparableData
from dpbandits.offline.problem import (
    BanditData,
    Preferences,
    log_reference_from,
    uniform_reference,
)


def moderate(x: float) -> float:
    """No quotient of two such numbers overflows."""
    if x != 0 and not 1e-100 <= x <= 1e100:
        raise ValueError("allowed: a number from 1e-100 to 1e100")
    return x


Positive = Annotated[float, Field(gt=0), AfterValidator(moderate)]
CLOSE = 1.001  # a bound this close to the loss attained is not improved any more


ACTIONS = Field(description="CSV file x1..xd (and weight) of the actions at the context")
PENALTY = Field(1.0, alias="lambda", description="ridge penalty")


class KlAudit(Model):
    data: str = Field(description="CSV file, one record a row")
    neighbours: str = Field("remove,add", description="what a neighbour may be, a comma list")
    eta: Positive = Field(description="weight of the divergence from the reference policy")
    beta0: Annotated[float, Field(ge=0), AfterValidator(moderate)] = Field(
        description="weight of the pessimism"
    )


class BanditAudit(KlAudit):
    reference: str = Field("", description="CSV file arm, weight; left out: uniform")
    reward_max: Positive = Field(1.0, description="largest reward")


class LinearParams(KlAudit):
    actions: str = ACTIONS
    reward_max: Positive = Field(1.0, description="largest reward")
    penalty: Positive = PENALTY


class PreferenceParams(KlAudit):
    actions: str = ACTIONS
    penalty: Positive = PENALTY
    B: Annotated[float, PlainValidator(lambda value: parse_epsilon(value, "B"))] = Field(
        description="radius of the parameters, or inf"
    )


def _regularisation(params) -> dict[str, float]:
    return {"eta": params.eta, "beta0": params.beta0, "penalty": params.penalty}


def kinds_of(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    kinds = tuple(part.strip() for part in text.split(",") if part.strip())
    for kind in kinds:
        if kind not in allowed:
            raise InputError(f"--neighbours: unknown '{kind}'; {nearest(kind, allowed)}")
    if not kinds:
        raise InputError(f"--neighbours: none given; {nearest('', allowed)}")
    return kinds


# --- multi-armed bandit -----------------------------------------------------------------------


def read_bandit(params) -> tuple[BanditData, np.ndarray, np.ndarray, np.ndarray]:
    """(what (8) needs, the records' arms, their rewards, ln pi0)."""
    frame = records.read_csv(params.data, "data")
    records.check_columns(frame, params.data, ("arm", "reward"))
    log_reference = read_reference(params.reference) if params.reference else None
    last = None if log_reference is None else len(log_reference) - 1
    arms = records.whole(frame, params.data, "arm", last)
    rewards = records.between(frame, params.data, "reward", 0.0, params.reward_max)
    if log_reference is None:
        log_reference = uniform_reference(int(arms.max()) + 1)
    return BanditData.from_records(arms, rewards, len(log_reference)), arms, rewards, log_reference


def read_reference(path: str) -> np.ndarray:
    """ln pi0 from columns arm, weight; every arm 0..K-1 once."""
    frame = records.read_csv(path, "reference")
    records.check_columns(frame, path, ("arm", "weight"))
    arms = records.whole(frame, path, "arm", len(frame) - 1)
    weights = records.weights(frame, path)
    doubled = pd.Series(arms).duplicated().to_numpy()
    records.refuse_where(doubled, frame, path, "arm", "each arm once")
    ordered = np.empty(len(arms))
    ordered[arms] = weights
    return log_reference_from(ordered)


@mechanism("kl-mab", params=BanditAudit, examples=examples.PLAYED)
def audit_bandit(params: BanditAudit, at_epsilon=()) -> PrivacyLoss:
    """Policy (8) on a file of arm, reward; exact over all neighbours."""
    kinds = kinds_of(params.neighbours, bandit_loss.KINDS)
    data, arms, rewards, log_reference = read_bandit(params)
    worst = bandit_loss.exact_loss(
        data, params.eta, params.beta0, params.reward_max, kinds, at_epsilon, log_reference
    )
    for found in worst.found():
        if found.get("kind") in ("remove", "swap"):
            same = (arms == found["arm"]) & (rewards == found["reward"])
            found["row"] = int(np.argmax(same)) + 1
    told = {
        "arms": data.arms,
        "arms_from": "the reference file" if params.reference else "the largest arm in the data",
    }
    return PrivacyLoss(worst.pure, worst.delta, described(worst) | told, "exact")


def described(worst: Worst) -> dict:
    """The worst neighbour of the pure loss, and of each delta that is not 0."""
    at = {named(e): found for e, found in worst.neighbour_at.items() if worst.delta[e] > 0}
    return worst.neighbour | ({"at_epsilon": at} if at else {})


# --- linear contextual bandit -----------------------------------------------------------------


def read_actions(path: str, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Feature vectors of the actions at the audited context, and ln pi0."""
    frame = records.read_csv(path, "actions")
    names = records.vector_columns(frame, path)
    records.check_columns(frame, path, names, ("weight",))
    if len(names) != dimension:
        raise InputError(f"{path}: {len(names)} columns x1..xd; allowed: {dimension}, as the data")
    actions = records.vectors(frame, path, names, 1.0)
    if "weight" in frame.columns:
        return actions, log_reference_from(records.weights(frame, path))
    return actions, uniform_reference(len(actions))


def refuse_lost_penalty(path: str, vectors: np.ndarray, penalty: float) -> None:
    """With one record removed, the directions left to lambda alone must survive rounding."""
    sigma = vectors.T @ vectors
    covered = np.linalg.eigvalsh(sigma)[0] - (vectors**2).sum(axis=1).max()
    least = 1e5 * UNIT * len(sigma) * np.trace(sigma)
    if max(covered, 0.0) + penalty < least:
        raise InputError(
            f"{path}: lambda = {penalty:g} is lost in rounding beside these records; "
            f"allowed: at least {least:.1g}"
        )


@mechanism("kl-linear", params=LinearParams, examples=examples.LINE)
def audit_linear(params: LinearParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (10) on a file of x1..xd, reward, at the context whose actions are given."""
    kinds = kinds_of(params.neighbours, LINEAR_KINDS)
    frame = records.read_csv(params.data, "data")
    names = records.vector_columns(frame, params.data)
    records.check_columns(frame, params.data, [*names, "reward"])
    features = records.vectors(frame, params.data, names, 1.0)
    rewards = records.between(frame, params.data, "reward", 0.0, params.reward_max)
    refuse_lost_penalty(params.data, features, params.penalty)
    actions, log_reference = read_actions(params.actions, len(names))
    options = {"reward_max": params.reward_max, "log_reference": log_reference}
    audit = LinearAudit(features, rewards, actions, **_regularisation(params), **options)
    return linear_loss(audit, kinds, at_epsilon)


def linear_loss(audit: LinearAudit, kinds=("remove", "add"), at_epsilon=()) -> PrivacyLoss:
    worst, bounds = Worst(at_epsilon), []
    if "remove" in kinds:
        audit.removals(worst)
    if "add" in kinds:
        bounds.append(linear_additions(audit, worst))
    if "swap" in kinds:
        swapped = Worst(at_epsilon)
        bounds.append(swaps(audit, swapped))
        worst.merge(swapped)
    return concluded(worst, bounds, audit.log_reference)


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


def concluded(worst: Worst, bounds: list[dict], log_reference) -> PrivacyLoss:
    """Exact if the worst neighbour is an enumerated one, provably; else certified upper bounds.

    exact: the values are attained, and no neighbour is worse. certified: the values are proven
    upper bounds; "attained" are those of the neighbours shown, "gap" how far they are below.
    bound: nothing is proved; the values are those of the neighbours shown.
    """
    if np.isfinite(log_reference).sum() == 1:
        bounds = []  # the only action has probability 1, whatever the data
    found = described(worst)
    attained = {None: worst.pure, **worst.delta}
    most = {key: max([v, *(b[key] for b in bounds)]) for key, v in attained.items()}
    deltas = {e: 0.0 if e >= most[None] else min(most[e], 1.0) for e in worst.delta}
    if most == attained:
        return PrivacyLoss(worst.pure, worst.delta, found, "exact")
    if np.isinf(most[None]) and np.isfinite(worst.pure):
        return PrivacyLoss(worst.pure, worst.delta, found, "bound")
    label = {key: "pure" if key is None else named(key) for key in attained}
    found["attained"] = {label[key]: value for key, value in attained.items()}
    found["gap"] = {label[key]: most[key] - value for key, value in attained.items()}
    return PrivacyLoss(most[None], deltas, found, "certified")


# --- RLHF -------------------------------------------------------------------------------------


@mechanism("kl-rlhf", params=PreferenceParams, examples=examples.DUELS)
def audit_preferences(params: PreferenceParams, at_epsilon=()) -> PrivacyLoss:
    """Policy (11) on a file of x1..xd, label; the MLE over ||theta|| <= B (inf: unconstrained)."""
    kinds = kinds_of(params.neighbours, PREFERENCE_KINDS)
    frame = records.read_csv(params.data, "data")
    names = records.vector_columns(frame, params.data)
    records.check_columns(frame, params.data, [*names, "label"])
    differences = records.vectors(frame, params.data, names, REACH)
    refuse_lost_penalty(params.data, differences, params.penalty)
    labels = records.numbers(frame, params.data, "label")
    records.refuse_where((labels != 0) & (labels != 1), frame, params.data, "label", "0 or 1")
    actions, log_reference = read_actions(params.actions, len(names))
    data = Preferences.from_labels(differences, labels)
    try:
        options = {"radius": params.B, "log_reference": log_reference}
        audit = PreferenceAudit(data, actions, **_regularisation(params), **options)
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
    worst, bounds = Worst(at_epsilon), []
    if "remove" in kinds:
        audit.removals(worst)
    if "flip" in kinds:
        audit.flips(worst)
    if "add" in kinds:
        bounds.append(preference_additions(audit, worst))
    if "swap" in kinds:
        swapped = Worst(at_epsilon)
        bounds.append(audit.swaps(swapped))
        worst.merge(swapped)
    return concluded(worst, bounds, audit.log_reference)
