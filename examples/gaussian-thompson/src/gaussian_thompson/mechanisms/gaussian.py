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
    sensitivity: Annotated[float, Field(gt=0, description="by how much a neighbour's differs")] = 1


def play(params: GaussianParams, which: int, runs: int, generator) -> np.ndarray:
    """Outputs in bins of a quarter of the noise."""
    outputs = which * params.sensitivity + generator.normal(scale=params.scale, size=runs)
    return np.clip(np.floor(4 * outputs / params.scale), -20, 20).astype(int)


@mechanism("gaussian", params=GaussianParams, examples=({"scale": 1.5},), sample=play)
def audit_gaussian(params: GaussianParams, at_epsilon) -> PrivacyLoss:
    """Exact: (eps, delta)-DP for the delta of mu-GDP, mu = sensitivity/scale, and for no less."""
    mu = params.sensitivity / params.scale
    worst = {"value": 0.0, "neighbour": params.sensitivity, "pure": "as the output grows"}
    return PrivacyLoss(math.inf, {e: delta_of(mu, e) for e in at_epsilon}, worst)
