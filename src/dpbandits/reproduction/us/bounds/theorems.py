"""What US proves of its mechanism."""

from dpbandits.kernel.mechanisms.usca import UscaAudit, audit_usca
from dpbandits.reproduction.comparison import Comparison, compared, theorem


@theorem("usca", params=UscaAudit)
def bound_usca(params: UscaAudit, at_epsilon=()) -> Comparison:
    """Lemma 7.2, which holds as printed."""
    epsilon = params.epsilon
    return compared(epsilon, epsilon, audit_usca(params, at_epsilon), ("US-L7.2", "US-T7.3"))
