"""Proofs that stop a run where their numbers fail, and the precision of all certificates."""

from dpbandits.audit.computed.balls import precision
from dpbandits.core.errors import ProofError

at_certificate_precision = precision(192)  # bits, inside a `with` or of a decorated function


def require_proof(condition: bool, what: str) -> None:
    """Raise ProofError unless the condition is true; unlike `assert`, also under `python -O`."""
    if not condition:
        raise ProofError(what)
