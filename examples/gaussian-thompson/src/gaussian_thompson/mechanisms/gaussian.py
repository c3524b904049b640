"""`dpbandits audit gaussian`: one value with Gaussian noise. Its pure loss is infinite."""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.mechanisms import PrivacyLoss, mechanism
from dpbandits.core.models import Model
from gaussian_thompson.theory import delta_of


class GaussianParams(Model):
    scale: Annotated[float, Field(gt=0, description="standard deviation of the noise")]
    sensitivity: Annotated[float, Field(gt=0, description="largest change by one record")] = 1


def play(params: GaussianParams, which: int, runs: int, generator) -> np.ndarray:
    """Outputs in bins as wide as a quarter of the standard deviation."""
    outputs = which * params.sensitivity + generator.normal(scale=params.scale, size=runs)
    return np.clip(np.floor(4 * outputs / params.scale), -20, 20).astype(int)


@mechanism("gaussian", params=GaussianParams, examples=({"scale": 1.5},), sample=play)
def audit_gaussian(params: GaussianParams, at_epsilon) -> PrivacyLoss:
    """Exact: the smallest delta is that of mu-GDP with mu = sensitivity/scale."""
    mu = params.sensitivity / params.scale
    worst = {"value": 0.0, "neighbour": params.sensitivity, "pure": "as the output grows"}
    return PrivacyLoss(math.inf, {e: delta_of(mu, e) for e in at_epsilon}, worst)
