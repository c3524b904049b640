"""P(transcript | sums) of Anytime-Lazy-UCB, in closed form.

Means and bonuses are measured in units of 1/eps: the noisy mean of n rewards with sum S is
S unit/n + Lap(1/n). The bonus sqrt(3 ln t/n) + 3 ln t/(eps n) depends on n and t alone.

A transcript of two arms says in which interval the difference of the two current noisy means lies,
until one of them is replaced. The replaced means are integrated out one after another, as piecewise
exponential polynomials.
"""

from flint import arb

from dpbandits.reproduction.hu.lazy.piecewise import Piecewise, laplace_density
from dpbandits.reproduction.hu.lazy.transcripts import Epoch


def probability(
    transcript: tuple[int, ...], epochs: tuple[Epoch, ...], sums: tuple[int, ...], epsilon: float
) -> arb:
    if len(transcript) <= 2:
        return arb(1)
    unit = arb(epsilon)
    laws = [laplace_density(unit * s / e.size, e.size) for e, s in zip(epochs, sums, strict=True)]
    waiting = list(zip(epochs, laws, strict=True))
    law: list[Piecewise | None] = [None, None]  # of each arm's current noisy mean
    size = [1, 1]
    low = high = None  # the interval of mean_0 - mean_1 since the last replacement
    for t in range(3, len(transcript) + 1):
        while waiting and waiting[0][0].used_from <= t:
            epoch, new_law = waiting.pop(0)
            arm = epoch.arm
            if law[arm] is not None:  # integrate its old mean out
                law[1 - arm] = law[1 - arm] * _interval_probability(law[arm], arm, low, high)
                low = high = None
            law[arm], size[arm] = new_law, epoch.size
        edge = _bonus(t, size[1], epsilon, unit) - _bonus(t, size[0], epsilon, unit)
        if transcript[t - 1] == 0:
            low = edge if low is None or edge > low else low
        else:
            high = edge if high is None or edge < high else high
        if low is not None and high is not None and not low < high:
            return arb(0)
    return (law[1] * _interval_probability(law[0], 0, low, high)).total()


def _interval_probability(law: Piecewise, arm: int, low: arb | None, high: arb | None) -> Piecewise:
    """P(low < mean_0 - mean_1 < high) over the mean of `arm`, as a function of the other mean."""
    if arm == 0:
        return law.window(low, high)
    return law.window(None if high is None else -high, None if low is None else -low)


def _bonus(t: int, size: int, epsilon: float, unit: arb) -> arb:
    linear = 3 * arb(t).log() / size
    return unit * (linear.sqrt() + linear / arb(epsilon))
