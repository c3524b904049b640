"""Playing one arm for a stretch of rounds: what every leaping engine writes down."""

from dpbandits.core.compiled import jit


@jit
def record(first, last, lost, gap, checkpoints, at, regret):
    """Regret at the checkpoints in rounds first..last, in which every round costs `gap`.

    `lost` is the regret before `first`, `at` the next checkpoint to fill; returns the next one.
    """
    while at < len(checkpoints) and checkpoints[at] <= last:
        regret[at] = lost + gap * (checkpoints[at] - first + 1)
        at += 1
    return at
