"""kl/loss_vs: the exact loss and the theorems' eps against n, eta, beta0, coverage, d and B.

"exact loss": enumerated; for additions to linear and RLHF data the worst found, which is attained.
"""

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline import theory
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl.draws import (
    draw_bandit,
    draw_directions,
    draw_linear,
    draw_preferences,
)
from dpbandits.reproduction.studies import study

Problem = Literal["bandit", "linear", "rlhf"]
Varied = Literal["n", "eta", "beta0", "coverage", "dimension", "B"]


class Point(Model):
    """One configuration; coverage = the rarest arm's (or direction's) share of the commonest."""

    n: int = Field(gt=1)
    eta: float = Field(gt=0)
    beta0: float = Field(ge=0)
    coverage: float = Field(gt=0, le=1)
    actions: int = Field(ge=2)
    dimension: int = Field(2, ge=1)
    B: float = Field(1.0, gt=0)
    penalty: float = Field(1.0, gt=0)


class LossVs(Model):
    base: dict[Problem, Point]
    vary: dict[Problem, dict[Varied, Annotated[tuple[float, ...], Field(min_length=1)]]]
    draws: int = Field(3, ge=1)  # data sets per point


@study("kl/loss_vs", params=LossVs)
def loss_vs(params: LossVs) -> pd.DataFrame:
    rows = []
    for problem, varied in params.vary.items():
        for key, values in varied.items():
            for value in values:
                rows += _rows(problem, params.base[problem], key, value, params.draws)
    return pd.DataFrame(rows)


def _rows(problem, base, key, value, draws) -> list[dict]:
    typed = int(value) if key in ("n", "dimension") else float(value)
    point = base.model_copy(update={key: typed})
    found: dict[str, list[float]] = {}
    for draw in range(draws):
        generator = Streams(key_of("kl/loss_vs", problem, key, value), (draw,)).generator(0)
        for quantity, epsilon in EVALUATE[problem](point, generator).items():
            found.setdefault(quantity, []).append(epsilon)
    return [
        {
            "problem": problem,
            "varied": key,
            "value": value,
            "quantity": quantity,
            "epsilon": float(np.mean(values)),
            "low": min(values),
            "high": max(values),
            "data_sets": draws,
        }
        for quantity, values in found.items()
    ]


def evaluate_bandit(point: Point, generator) -> dict[str, float]:
    data = draw_bandit(point.n, np.linspace(0.75, 0.25, point.actions), point.coverage, generator)
    least = int(data.counts.min())
    found = {"exact loss": exact_loss(data, point.eta, point.beta0).pure}
    if least > 1:
        found["theorem"] = theory.theorem1_pure(least, point.eta, point.beta0).epsilon
        found["repaired"] = float(
            theory.corrected_theorem1_pure(least, point.eta, point.beta0).epsilon
        )
    return found


def unit_actions(point: Point, generator) -> np.ndarray:
    return draw_directions(point.actions, point.dimension, 1.0, generator)


def evaluate_linear(point: Point, generator) -> dict[str, float]:
    theta = np.full(point.dimension, 0.8 / np.sqrt(point.dimension))
    features, rewards = draw_linear(point.n, theta, point.coverage, generator)
    actions = unit_actions(point, generator)
    audit = LinearAudit(
        features, rewards, actions, eta=point.eta, beta0=point.beta0, penalty=point.penalty
    )
    lambda_min = audit.lambda_min
    found = {"exact loss": audit.worst(("remove", "add")).pure}
    if lambda_min > 1:
        shape = (point.n, point.dimension, lambda_min, point.eta, point.beta0)
        found["theorem"] = theory.theorem2_pure(*shape).epsilon
        found["appendix"] = corollaries.theorem2_pure_appendix(*shape).epsilon
        args = (point.n, lambda_min, point.penalty, point.eta, point.beta0)
        found["repaired"] = float(theory.corrected_theorem2_pure(*args).epsilon)
    return found


def evaluate_rlhf(point: Point, generator) -> dict[str, float]:
    theta = np.full(point.dimension, 0.9 * point.B / np.sqrt(point.dimension))
    data = draw_preferences(point.n, theta, point.coverage, generator)
    actions = unit_actions(point, generator)
    audit = PreferenceAudit(
        data, actions, eta=point.eta, beta0=point.beta0, penalty=point.penalty, radius=point.B
    )
    lambda_min = audit.lambda_min
    found = {
        "exact loss": audit.worst(("remove", "add")).pure,
        "exact label loss": audit.worst(("flip",)).pure,
    }
    if lambda_min > 4:
        args = (lambda_min, point.penalty, point.eta)
        found["theorem"] = theory.theorem4_pure(*args, point.beta0, point.B).epsilon
        found["repaired"] = float(
            theory.corrected_theorem4_pure(*args, point.beta0, point.B).epsilon
        )
        found["label theorem"] = theory.theorem3_pure(*args, point.B).epsilon
        found["label repaired"] = float(theory.corrected_theorem3_pure(*args, point.B).epsilon)
    return found


EVALUATE = {"bandit": evaluate_bandit, "linear": evaluate_linear, "rlhf": evaluate_rlhf}
