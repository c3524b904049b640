"""Lemma A.2, the privacy of Peeling with the printed noise: proved, violated or open, certified."""

from flint import arb

from dpbandits.audit.balls import precision
from dpbandits.audit.peeling import check_sizes, delta_lower, delta_upper, printed_ratio


def lemma(s: int, d: int, epsilon: float, delta: float) -> tuple[str, arb, arb]:
    """Whether Peeling with the printed noise is (eps, delta)-DP: ("proved" | "violated" | "open",
    low, high), low and high being certified bounds on its delta at eps.

    For s <= (4/3) ln(1/delta) it is proved for every eps by the pure loss, 3 s r <= eps. For larger
    s < d the pure loss exceeds eps, and the lemma is violated at every large enough eps.
    """
    check_sizes(s, d)
    with precision(1024):
        ratio = printed_ratio(s, epsilon, delta)
    high = delta_upper(ratio, s, d, epsilon)
    if high <= delta:
        return "proved", arb(0), high
    low, _ = delta_lower(ratio, s, d, epsilon)
    return ("violated" if low > delta else "open"), low, high
