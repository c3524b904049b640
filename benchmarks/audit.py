"""Computations of audits against simpler ones of the same numbers, in one process.

    python benchmarks/audit.py

Each line: the seconds of both, their ratio, and the difference of the results. A time is the
smallest of three CPU times.
"""

import time
from itertools import pairwise, product

from flint import acb, arb

from dpbandits.audit.computed import balls
from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.stochastic.mechanisms.rnm_loss import pure_loss

COUNTS, SCALE = (4, 1, 0, 7), 1.5


def timed(compute) -> tuple[float, float]:
    """The result, and CPU seconds."""
    times = []
    for _ in range(3):
        start = time.process_time()
        result = float(compute())
        times.append(time.process_time() - start)
    return result, min(times)


def selection_by_quadrature():
    """The probability that the first arm wins, by flint's quadrature of the integral."""

    def integrand(left):
        def f(x, _):
            value = acb(1)
            for arm, c in enumerate(COUNTS):
                z = (x - c) / SCALE
                tail = (z if c > left else -z).exp() / 2
                value *= tail / SCALE if arm == 0 else (tail if c > left else 1 - tail)
            return value

        return f

    cuts = [-60 * SCALE, *sorted(set(COUNTS)), max(COUNTS) + 60 * SCALE]
    pieces = pairwise(cuts)
    return sum((acb.integral(integrand(a), a, b).real for a, b in pieces), arb(0))


def pure_by_enumeration(arms: int = 3, rounds: int = 6):
    """The pure loss of noisy max over all pairs of counts."""
    law = {c: selection_probabilities(c, 1.0) for c in product(range(rounds + 1), repeat=arms)}
    worst = 0.0
    for counts, move in product(law, product((-1, 0, 1), repeat=arms)):
        after = tuple(c + m for c, m in zip(counts, move, strict=True))
        if after in law:
            worst = max(worst, float(balls.pure_loss(law[counts], law[after])))
    return worst


def main() -> None:
    pairs = {
        "selection probability: closed form, quadrature": (
            lambda: selection_probabilities(COUNTS, SCALE)[0],
            selection_by_quadrature,
        ),
        "noisy max, 3 arms, 6 rounds: the proved worst pair, all pairs": (
            lambda: pure_loss(1.0, 3, 6, "replace"),
            pure_by_enumeration,
        ),
    }
    for name, (ours, plain) in pairs.items():
        (a, fast), (b, slow) = timed(ours), timed(plain)
        print(
            f"{name}: {fast:.2g} s, {slow:.2g} s, ratio {slow / fast:.3g}, "
            f"difference {abs(a - b):.1e}"
        )


if __name__ == "__main__":
    main()
