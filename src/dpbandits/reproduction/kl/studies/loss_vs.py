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
from dpbandits.reproduction.kl import theory as claimed
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
    points = [
        _summary(problem, params.base[problem], key, value, params.draws)
        for problem, varied in params.vary.items()
        for key, values in varied.items()
        for value in values
    ]
    return pd.concat(points, ignore_index=True)


def _summary(problem, base, key, value, draws) -> pd.DataFrame:
    """Of one point a row per quantity: the mean and the ends of its values over data sets, and the
    largest exact loss over it."""
    typed = int(value) if key in ("n", "dimension") else float(value)
    point, of_point = (
        base.model_copy(update={key: typed}),
        key_of("kl/loss_vs", problem, key, value),
    )
    generators = [Streams(of_point, (draw,)).generator(0) for draw in range(draws)]
    found = pd.DataFrame([EVALUATE[problem](point, generator) for generator in generators])
    exact = found[["exact label loss" if "label" in name else "exact loss" for name in found]]
    return pd.DataFrame({
        "problem": problem, "varied": key, "value": value, "quantity": found.columns,
        "epsilon": found.mean(), "low": found.min(), "high": found.max(),
        "exact_over": (exact.to_numpy() / found).max(), "data_sets": draws,
    })  # fmt: skip


def evaluate_bandit(point: Point, generator) -> dict[str, float]:
    data = draw_bandit(point.n, np.linspace(0.75, 0.25, point.actions), point.coverage, generator)
    known = int(data.counts.min()), point.eta, point.beta0
    found = {"exact loss": exact_loss(data, point.eta, point.beta0).pure}
    if known[0] > 1:
        found["theorem"] = claimed.theorem1_pure(*known).epsilon
        found["repaired"] = corollaries.corrected_theorem1_pure(*known).epsilon
    return found


def evaluate_linear(point: Point, generator) -> dict[str, float]:
    n, d, eta, beta0, penalty = point.n, point.dimension, point.eta, point.beta0, point.penalty
    features, rewards = draw_linear(n, np.full(d, 0.8 / np.sqrt(d)), point.coverage, generator)
    actions = draw_directions(point.actions, d, 1.0, generator)
    audit = LinearAudit(features, rewards, actions, eta=eta, beta0=beta0, penalty=penalty)
    least, found = audit.lambda_min, {"exact loss": audit.worst(("remove", "add")).pure}
    if least > 1:
        found["theorem"] = claimed.theorem2_pure(n, d, least, eta, beta0).epsilon
        found["appendix"] = corollaries.theorem2_pure_appendix(n, d, least, eta, beta0).epsilon
        found["repaired"] = theory.corrected_theorem2_pure(n, least, penalty, eta, beta0).epsilon
    return found


def evaluate_rlhf(point: Point, generator) -> dict[str, float]:
    d, eta, beta0, penalty, B = point.dimension, point.eta, point.beta0, point.penalty, point.B
    theta = np.full(d, 0.9 * B / np.sqrt(d))
    data = draw_preferences(point.n, theta, point.coverage, generator)
    actions = draw_directions(point.actions, d, 1.0, generator)
    audit = PreferenceAudit(data, actions, eta=eta, beta0=beta0, penalty=penalty, radius=B)
    least, found = audit.lambda_min, {}
    found["exact loss"] = audit.worst(("remove", "add")).pure
    found["exact label loss"] = audit.worst(("flip",)).pure
    if least > 4:
        label, record = (least, penalty, eta, B), (least, penalty, eta, beta0, B)
        found["theorem"] = claimed.theorem4_pure(*record).epsilon
        found["repaired"] = theory.corrected_theorem4_pure(*record).epsilon
        found["label theorem"] = claimed.theorem3_pure(*label).epsilon
        found["label repaired"] = theory.corrected_theorem3_pure(*label).epsilon
    return found


EVALUATE = {"bandit": evaluate_bandit, "linear": evaluate_linear, "rlhf": evaluate_rlhf}
