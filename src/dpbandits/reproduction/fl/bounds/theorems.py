"""The privacy of Peeling and of N-IHT by Lemma A.2: printed, repaired, audited."""

from dpbandits.audit.computed.balls import precision, upper
from dpbandits.reproduction.comparison import Comparison, approximate, compared, theorem
from dpbandits.reproduction.fl.mechanisms.niht import NihtParams, audit_niht, step_ratio
from dpbandits.reproduction.fl.mechanisms.peeling import PeelingParams, audit_peeling, printed_ratio

INF = float("inf")  # no pure loss is promised


@theorem("peeling", params=PeelingParams)
def bound_peeling(params: PeelingParams, at_epsilon=()) -> Comparison:
    """Repaired: the pure loss 3 s lambda/xi, whatever epsilon is."""
    exact = audit_peeling(params, at_epsilon)
    with precision(1024):
        pure = upper(3 * params.s * printed_ratio(params.s, params.epsilon, params.delta))
    promised = approximate(params.epsilon, params.delta)
    return compared(INF, pure, exact, ("FL-LA.2",), promised)


@theorem("niht", params=NihtParams)
def bound_niht(params: NihtParams, at_epsilon=()) -> Comparison:
    """Repaired: the sum of these losses over the steps, at their true sensitivities."""
    exact = audit_niht(params, at_epsilon)
    with precision(1024):
        later = (params.steps - 1) * step_ratio(params)
        pure = upper(3 * params.s * (step_ratio(params, first=True) + later))
    promised = approximate(params.epsilon, params.delta)
    return compared(INF, pure, exact, ("FL-S4", "FL-LA.2"), promised)
