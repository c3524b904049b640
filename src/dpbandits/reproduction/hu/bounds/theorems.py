"""What HU's theorems say of report-noisy-max and of its algorithms: printed, repaired, exact."""

from dpbandits.reproduction.comparison import Comparison, compared, theorem
from dpbandits.reproduction.hu.mechanisms.lazy import LazyParams, audit_lazy
from dpbandits.stochastic.mechanisms.rnm import RnmParams, audit_rnm
from dpbandits.stochastic.mechanisms.rnm_loss import SHIFT

CLAIMS = {"anytime-lazy-ucb": "HU-T2", "lazy-dp-ts": "HU-T4", "rnm-ftnl": "HU-T8"}


@theorem("rnm", params=RnmParams)
def bound_rnm(params: RnmParams, at_epsilon=()) -> Comparison:
    """Theorem 8: Laplace noise of scale 1/eps, of which 2/eps is needed."""
    eight = (params.noise, params.adjacency) == ("laplace", "replace")
    loss = audit_rnm(params, at_epsilon)
    eta = SHIFT[params.adjacency] / params.scale
    printed = 1 / params.scale if eight else None
    return compared(printed, eta, loss, ("HU-T8",) if eight else ())


@theorem("lazy", params=LazyParams)
def bound_lazy(params: LazyParams, at_epsilon=()) -> Comparison:
    """Theorems 2, 4 and 8, the last of which needs twice its noise."""
    printed = params.algorithm == "rnm-ftnl" and params.variant == "printed"
    exact = audit_lazy(params, at_epsilon)
    true = (1 + printed) * params.epsilon
    return compared(params.epsilon, true, exact, (CLAIMS[params.algorithm],))
