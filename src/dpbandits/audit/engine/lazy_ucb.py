"""P(transcript | sums) of Anytime-Lazy-UCB, in closed form.

Means and bonuses are measured in units of noise/eps: a noisy mean of n rewards with sum S is
S unit/n + Lap(1/n). Bonuses sqrt(3 ln t/n) + 3 ln t/(eps n) depend on n and t alone.

Two arms: the transcript says that the difference of the two current noisy means lay in an interval,
stretch by stretch, and one mean is replaced between two stretches. The means form a path; they are
integrated out one after another as piecewise exponential polynomials.

Three arms, up to six rounds: rounds 4 and 5 go to the same arm j, whose first mean was the largest
(equal n, so equal bonuses), and round 6 compares the new mean of j with the two others.
"""

from flint import arb

from dpbandits.audit.engine.piecewise import Piecewise, laplace_density
from dpbandits.audit.engine.transcripts import Epoch


def probability(
    transcript: tuple[int, ...], epochs: tuple[Epoch, ...], sums: tuple[int, ...], epsilon: float,
    noise: float = 1.0, arms: int = 2,
) -> arb:  # fmt: skip
    unit = arb(epsilon) / arb(noise)
    laws = [laplace_density(unit * s / e.size, e.size) for e, s in zip(epochs, sums, strict=True)]
    if len(transcript) <= arms:
        return arb(1)
    if arms == 3:
        return _three(transcript, epochs, laws, epsilon, unit)
    return _two(transcript, epochs, laws, epsilon, unit)


def _bonus(t: int, size: int, epsilon: float, unit: arb) -> arb:
    linear = 3 * arb(t).log() / size
    return unit * (linear.sqrt() + linear / arb(epsilon))


# Two arms
def _two(transcript, epochs, laws, epsilon, unit) -> arb:
    law: list[Piecewise | None] = [None, None]
    size, waiting = [1, 1], list(zip(epochs, laws, strict=True))
    low = high = None
    for t in range(3, len(transcript) + 1):
        while waiting and waiting[0][0].used_from <= t:
            epoch, fresh = waiting.pop(0)
            arm = epoch.arm
            if law[arm] is not None:  # its old mean is integrated out
                law[1 - arm] = law[1 - arm] * _seen_from_other(law[arm], arm, low, high)
                low = high = None
            law[arm], size[arm] = fresh, epoch.size
        edge = _bonus(t, size[1], epsilon, unit) - _bonus(t, size[0], epsilon, unit)
        if transcript[t - 1] == 0:
            low = edge if low is None or edge > low else low
        else:
            high = edge if high is None or edge < high else high
        if low is not None and high is not None and not low < high:
            return arb(0)
    return (law[1] * _seen_from_other(law[0], 0, low, high)).total()


def _seen_from_other(law: Piecewise, arm: int, low: arb | None, high: arb | None) -> Piecewise:
    """mean of the other arm -> P(low < mean_0 - mean_1 < high)."""
    if arm == 0:
        return law.window(low, high)
    return law.window(None if high is None else -high, None if low is None else -low)


# Three arms
def _three(transcript, epochs, laws, epsilon, unit) -> arb:
    first = dict(zip((e.arm for e in epochs[:3]), laws[:3], strict=True))
    j, zero = transcript[3], arb(0)
    k, other = (arm for arm in range(3) if arm != j)
    below = {arm: first[arm].window(None, zero) for arm in range(3)}  # x -> P(mean < x)
    above = first[j].window(zero, None)
    if len(transcript) == 4:
        return (first[j] * below[k] * below[other]).total()
    if transcript[4] != j:
        return zero
    if len(transcript) == 5:
        return (first[j] * below[k] * below[other]).total()
    fresh = laws[3]
    edge = _bonus(6, epochs[3].size, epsilon, unit) - _bonus(6, 1, epsilon, unit)
    winner = transcript[5]
    if winner == j:  # both others below M = min(old mean, new mean + edge)
        new = fresh.shifted(-edge)  # law of new mean + edge
        least = first[j] * new.window(zero, None) + new * above
        return (least * below[k] * below[other]).total()
    loser = k if winner == other else other  # winner in between the new mean + edge and the old one
    return (first[winner] * below[loser] * above * fresh.window(None, -edge)).total()
