"""What audits, bounds and calibrations of a user's own data read: parameters and files."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, PlainValidator

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import Model, parse_epsilon
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mechanisms import records
from dpbandits.offline.mle import SeparableData
from dpbandits.offline.problem import (
    MAX_DIFFERENCE_NORM,
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


def radius(value: Any) -> float:
    """No number of a theorem overflows: they have e^2B."""
    B = parse_epsilon(value, "B")
    if 300 < B < math.inf:
        raise ValueError("allowed: up to 300, or inf")
    return B


Positive = Annotated[float, Field(gt=0), AfterValidator(moderate)]


ACTIONS = Field(description="CSV file x1..xd (and weight) of the actions at the context")
PENALTY = Field(1.0, alias="lambda", description="ridge penalty")


class KlData(Model):
    data: str = Field(description="CSV file arm, reward")
    neighbours: str = Field("remove,add", description="what a neighbour may be, a comma list")


class KlAudit(KlData):
    eta: Positive = Field(description="weight of the divergence from the reference policy")
    beta0: Annotated[float, Field(ge=0), AfterValidator(moderate)] = Field(
        description="weight of the pessimism"
    )


class BanditKeys(KlData):
    reference: str = Field("", description="CSV file arm, weight; left out: uniform")
    reward_max: Positive = Field(1.0, description="largest reward")


class BanditParams(BanditKeys, KlAudit):
    """An audit of policy (8)."""


class LinearKeys(KlData):
    data: str = Field(description="CSV file x1..xd (features of the action played), reward")
    actions: str = ACTIONS
    reward_max: Positive = Field(1.0, description="largest reward")
    penalty: Positive = PENALTY


class PreferenceKeys(KlData):
    data: str = Field(description="CSV file x1..xd (difference of two actions), label (0 or 1)")
    actions: str = ACTIONS
    penalty: Positive = PENALTY
    B: Annotated[float, PlainValidator(radius)] = Field(
        description="radius of the parameters, up to 300, or inf"
    )


class LinearParams(LinearKeys, KlAudit):
    """An audit of policy (10)."""


class PreferenceParams(PreferenceKeys, KlAudit):
    """An audit of policy (11)."""


def _regularisation(params) -> dict[str, float]:
    return {"eta": params.eta, "beta0": params.beta0, "penalty": params.penalty}


def kinds_of(text: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds of neighbours in a comma list."""
    kinds = tuple(part.strip() for part in text.split(",") if part.strip())
    for kind in kinds:
        if kind not in allowed:
            raise InputError(f"--neighbours: unknown '{kind}'; {nearest(kind, allowed)}")
    if not kinds:
        raise InputError(f"--neighbours: none given; {nearest('', allowed)}")
    return kinds


@dataclass(frozen=True)
class BanditFile:
    """A file of arm, reward; arms are numbers or texts."""

    data: BanditData
    arms: np.ndarray  # of each record
    rewards: np.ndarray
    log_reference: np.ndarray
    names: list[str]  # of the arms; empty where they are numbers


def read_bandit(params) -> BanditFile:
    frame = records.read_csv(params.data, "data")
    records.check_columns(frame, params.data, ("arm", "reward"))
    names, log_reference, last = records.names(frame, "arm"), None, None
    if params.reference:
        log_reference, names = read_reference(params.reference)
        last = len(log_reference) - 1
    arms = _arms(frame, params.data, names, last)
    rewards = records.between(frame, params.data, "reward", 0.0, params.reward_max)
    if log_reference is None:
        log_reference = uniform_reference(int(arms.max()) + 1)
    data = BanditData.from_records(arms, rewards, len(log_reference))
    return BanditFile(data, arms, rewards, log_reference, names)


def _arms(frame, path: str, names: list[str], last: int | None) -> np.ndarray:
    """The column `arm` as numbers from 0; if arms have names, their places among these."""
    if names:
        return records.places(frame, path, "arm", names)
    return records.whole(frame, path, "arm", last)


def read_reference(path: str) -> tuple[np.ndarray, list[str]]:
    """(ln pi0, the names of the arms) from columns arm, weight; every arm (0..K-1) once."""
    frame = records.read_csv(path, "reference")
    records.check_columns(frame, path, ("arm", "weight"))
    names = records.names(frame, "arm")
    arms = _arms(frame, path, names, len(frame) - 1)
    weights = records.weights(frame, path)
    doubled = np.ones(len(arms), bool)
    doubled[np.unique(arms, return_index=True)[1]] = False
    records.refuse_where(doubled, frame, path, "arm", "each arm once")
    ordered = np.empty(len(arms))
    ordered[arms] = weights
    return log_reference_from(ordered), names


def read_actions(path: str, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """(feature vectors of the actions at the audited context, ln pi0)"""
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
    """Refuse a lambda that rounding hides in directions without records, one record removed."""
    sigma = vectors.T @ vectors
    covered = np.linalg.eigvalsh(sigma)[0] - (vectors**2).sum(axis=1).max()
    least = 1e5 * np.finfo(float).epsneg * len(sigma) * np.trace(sigma)
    if max(covered, 0.0) + penalty < least:
        raise InputError(
            f"{path}: lambda = {penalty:g} is lost in rounding beside these records; "
            f"allowed: at least {least:.1g}"
        )


def _read_vectors(params, target: str, longest: float):
    """(the file, its vectors, the actions, ln pi0); beside x1..xd it has the column `target`."""
    frame = records.read_csv(params.data, "data")
    names = records.vector_columns(frame, params.data)
    records.check_columns(frame, params.data, [*names, target])
    vectors = records.vectors(frame, params.data, names, longest)
    refuse_lost_penalty(params.data, vectors, params.penalty)
    return frame, vectors, *read_actions(params.actions, len(names))


def read_linear(params) -> LinearAudit:
    frame, features, actions, log_reference = _read_vectors(params, "reward", 1.0)
    rewards = records.between(frame, params.data, "reward", 0.0, params.reward_max)
    options = {"reward_max": params.reward_max, "log_reference": log_reference}
    return LinearAudit(features, rewards, actions, **_regularisation(params), **options)


def read_preferences(params) -> PreferenceAudit:
    frame, differences, actions, log_reference = _read_vectors(params, "label", MAX_DIFFERENCE_NORM)
    labels = records.numbers(frame, params.data, "label")
    records.refuse_where((labels != 0) & (labels != 1), frame, params.data, "label", "0 or 1")
    data = Preferences.from_labels(differences, labels)
    try:
        options = {"radius": params.B, "log_reference": log_reference}
        return PreferenceAudit(data, actions, **_regularisation(params), **options)
    except SeparableData as error:
        raise InputError(f"{params.data}: {error}") from None
