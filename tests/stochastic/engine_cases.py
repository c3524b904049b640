"""On what tests/core/test_engine_agreement.py compares HU's engines with the plain algorithms.

Algorithms that play in phases are compared path by path, in test_stochastic_engines.py; na-tt is
here, too, as it is not there.

name -> setting, epsilon, horizon, seeds, how they agree. Gaps are sums of powers of 2, so that
regret is exact and a two-sample test of equal values sees no rounding. Rewards of means 0 and 1 are
certain: algorithms without noise then take the same path in both versions.
"""

import math

LINEAR = {"means": [0.75, 0.625, 0.5, 0.375, 0.25]}
TWO = {"means": [0.5, 0.75]}
TIES = {"means": [0.5, 0.5, 0.5]}
CERTAIN = {"means": [0, 1, 1]}
TWELVE = {"means": [(7 * k % 12) / 16 for k in range(12)]}

ENGINES = {
    "lazy-dp-ts": [
        (LINEAR, 0.05, 200, 100, "distribution"),
        (LINEAR, 0.5, 250, 120, "distribution"),
        (LINEAR, 10.0, 200, 100, "distribution"),
        (TWO, math.inf, 300, 150, "distribution"),
        (TIES, 0.5, 200, 120, "distribution"),
        (TWELVE, 0.5, 200, 100, "distribution"),
    ],
    "dp-se": [
        (TWO, 0.5, 40000, 20, "distribution"),
        (LINEAR, 0.05, 20000, 20, "distribution"),
    ],
    "na-tt": [
        (TWO | {"confidence": 0.6}, 5.0, 300, 60, "distribution"),
        (LINEAR | {"confidence": 0.5}, 2.0, 500, 60, "distribution"),
    ],
    "ftnl": (LINEAR, 0.5, 500, 200, "distribution"),
    "rnm-ftnl": [
        (LINEAR | {"variant": variant}, epsilon, 500, 200, "distribution")
        for variant in ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase")
        for epsilon in (0.05, 0.5)
    ],
    "ftl": [
        (LINEAR, math.inf, 500, 200, "distribution"),
        (TIES, math.inf, 500, 200, "distribution"),
        (CERTAIN, math.inf, 2000, 2, "equal"),
    ],
    "thompson": [
        (LINEAR, math.inf, 250, 120, "distribution"),
        (TIES, math.inf, 200, 120, "distribution"),
    ],
    "ucb1": [
        (LINEAR, math.inf, 400, 150, "distribution"),
        (CERTAIN, math.inf, 2000, 2, "equal"),
    ],
    "kl-ucb": [
        (TWO, math.inf, 150, 60, "distribution"),
        (CERTAIN, math.inf, 300, 2, "equal"),
    ],
}
