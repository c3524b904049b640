"""`dpbandits audit randomised-response`: one bit, flipped with probability 1/(1 + e^epsilon)."""

from typing import Annotated

from pydantic import Field

from dpbandits.core.mechanisms import PrivacyLoss, delta_of_pure, mechanism
from dpbandits.core.models import Model
from local_privacy.lp_commit import flips


class Params(Model):
    epsilon: Annotated[float, Field(gt=0, description="privacy of the flips")]


def play(params, which, runs, generator):
    return (which ^ (generator.random(runs) < flips(params.epsilon))).astype(int)


@mechanism("randomised-response", params=Params, examples=({"epsilon": 1.0},), sample=play)
def audit(params, at_epsilon):
    """Exact: the bits 0 and 1 are the only neighbours."""
    deltas = {epsilon: delta_of_pure(params.epsilon, epsilon) for epsilon in at_epsilon}
    return PrivacyLoss(params.epsilon, deltas, {"value": 0, "neighbour": 1})
