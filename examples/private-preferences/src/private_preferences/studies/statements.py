"""pp/promises and pp/rate: the numbers behind the claims; docs/proofs/PP.md derives them.

Promises: what VPO's regression promises, what its coefficients can lose over all data sets if one
record is replaced or one label flips, and what a search finds.

Rate: the exact expected gap of PPKL without its bonus, over the ball of radius 1, and what no
method can stay below. The answers are 1 and -1, of rewards theta and -theta; all n records compare
them, so their labels are a binomial count. The gap is eta KL(policy, best policy).
"""

from functools import partial
from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import expit, logit, rel_entr
from scipy.stats import binom

from dpbandits.core.maximise import in_ball, maximise, scale
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.studies import study
from private_preferences import vpo
from private_preferences.rewards import keep_probability

OTHERS = 3  # records beside the one that changes


class Promises(Model):
    n: tuple[Annotated[int, Field(gt=OTHERS)], ...]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    instances: int = Field(40_000, ge=4_000)


@study("pp/promises", params=Promises)
def compute_promises(params: Promises) -> pd.DataFrame:
    rows = []
    for n, epsilon in product(params.n, params.epsilon):
        known = vpo.calibrate(epsilon, n)
        replaced = known.epsilon_noise + np.log1p(vpo.CURVATURE / known.penalty)
        for kind, bound in (("replace", replaced), ("flip", known.epsilon_noise / 2)):
            generator = Streams(key_of("pp/promises", n, epsilon, kind), (0,)).generator(0)
            loss = partial(losses, flip=kind == "flip", known=known)
            found = maximise(loss, 2 + 3 * (OTHERS + 2), params.instances, generator)
            rows.append((n, epsilon, kind, bound, found.value, found.instances))
    columns = ["n", "epsilon", "neighbours", "bound", "found", "instances"]
    return pd.DataFrame(rows, columns=columns)


def losses(rows, flip: bool, known: vpo.Calibration) -> np.ndarray:
    """|ln p(theta)/p'(theta)| at one theta, of OTHERS records and one that is x, then x'."""
    theta = rows[:, :1] * scale(rows[:, 1:2], 1e-3, 1e3) * np.array([1.0, 0.0])  # up to rotation
    parts = np.split(rows[:, 2:], OTHERS + 2, axis=1)
    records = [(in_ball(part[:, :2]), part[:, 2] > 0) for part in parts]
    (x, y), other, *rest = records
    b, bend = -known.penalty * theta, known.penalty * np.eye(2)
    for record in rest:
        gradient, curvature = _record(*record, theta)
        b, bend = b + gradient, bend + curvature
    logs = []
    for record in ((x, y), (x, ~y) if flip else other):
        gradient, curvature = _record(*record, theta)
        length = np.linalg.norm(b + gradient, axis=1)
        logs.append(np.log(np.linalg.det(bend + curvature)) - known.epsilon_noise / 2 * length)
    return np.abs(logs[0] - logs[1])


def _record(x, y, theta):
    """What a record adds to the gradient of the log-likelihood and to its curvature."""
    hit = expit((x * theta).sum(axis=1))
    bend = (hit * (1 - hit))[:, None, None] * x[:, :, None] * x[:, None, :]
    return (y - hit)[:, None] * x, bend


class Rate(Model):
    n: tuple[Annotated[int, Field(ge=1)], ...]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    theta: float = Field(0.5, gt=0, le=1)
    eta: float = Field(1.0, gt=0)


@study("pp/rate", params=Rate)
def compute_rate(params: Rate) -> pd.DataFrame:
    rows = []
    for n, epsilon in product(params.n, params.epsilon):
        gaps = expected_gap(n, epsilon, params.theta, params.eta), floor(n, params)
        printed, repaired = np.expm1(epsilon) ** -2.0 / n, np.tanh(epsilon / 2) ** -2.0 / n
        rows.append((n, epsilon, *gaps, printed, repaired))
    return pd.DataFrame(rows, columns=["n", "epsilon", "gap", "floor", "printed", "repaired"])


def expected_gap(n: int, epsilon: float, theta: float, eta: float) -> float:
    """Of PPKL at theta, over the labels and the reports."""
    keep, wins, hit = keep_probability(epsilon), np.arange(n + 1), expit(2 * theta)
    share = (wins / n - (1 - keep)) / (2 * keep - 1)  # of labels 1: the unconstrained maximum
    fitted = logit(np.clip(share, expit(-2), expit(2))) / 2
    gaps = eta * kl(expit(2 * fitted / eta), expit(2 * theta / eta))
    return float(binom.pmf(wins, n, keep * hit + (1 - keep) * (1 - hit)) @ gaps)


def floor(n: int, params: Rate) -> float:
    """No method has both expected gaps, at theta and -theta, below it, for any epsilon: what the
    laws of n labels share, times eta KL(1/2, best policy)."""
    wins, hit = np.arange(n + 1), expit(2 * params.theta)
    shared = np.minimum(binom.pmf(wins, n, hit), binom.pmf(wins, n, 1 - hit)).sum()
    return float(shared * params.eta * kl(0.5, expit(2 * params.theta / params.eta)))


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)
