"""pp/promises: what VPO's regression promises, what it can lose, and what a search finds.

The loss is of the published coefficients, over every data set. If one record is replaced it is at
most epsilon_noise + ln(1 + 1/(4 penalty)); if one label flips it is epsilon_noise |x|/2, |x| <= 1.
docs/proofs/PP.md derives both.
"""

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import expit

from dpbandits.core.attack import attack, in_ball, scale
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.studies import study
from private_preferences import vpo

OTHERS = 3  # records beside the one that changes


class Promises(Model):
    n: tuple[Annotated[int, Field(gt=OTHERS)], ...]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    instances: int = Field(40_000, ge=4_000)


@study("pp/promises", params=Promises)
def compute(params: Promises) -> pd.DataFrame:
    rows = []
    for n in params.n:
        for epsilon in params.epsilon:
            known = vpo.calibrate(epsilon, n)
            replaced = known.epsilon_noise + np.log1p(vpo.CURVATURE / known.penalty)
            for kind, bound in (("replace", replaced), ("flip", known.epsilon_noise / 2)):
                generator = Streams(key_of("pp/promises", n, epsilon, kind), (0,)).generator(0)
                loss = partial(losses, flip=kind == "flip", known=known)
                found = attack(loss, 2 + 3 * (OTHERS + 2), params.instances, generator)
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
