"""HU's engines against plain compiled loops (same Philox streams) and plain NumPy loops.

    python benchmarks/stochastic.py            # T = 10^6, K = 5, and growth to T = 10^12

Times are CPU seconds per run, streams included, best of three. A plain loop decides and draws a
reward every round, as the paper writes the algorithm; it is timed over fewer runs and, for the two
Thompson algorithms, over fewer rounds (its cost per round is constant). NumPy loops are timed over
20,000 rounds.
"""

import math
import sys
import time
from pathlib import Path

import dpbandits  # noqa: F401  before NumPy

# isort: split
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "stochastic"))
import reference

from dpbandits.core import algorithms
from dpbandits.core.streams import streams_for

MEANS = {"fig1": (0.75, 0.625, 0.5, 0.375, 0.25), "fig2": (0.5, 0.4, 0.4, 0.4, 0.4)}


def best_of(repeat, action):
    times = []
    for _ in range(repeat):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def engine_seconds(name, means, epsilon, horizon, runs, **extra):
    """Through the registry: streams, settings and all."""
    setting, at = {"means": list(means), **extra}, np.array([horizon])
    algorithms.run(name, setting, epsilon, min(horizon, 1000), range(2))
    run = lambda: algorithms.run(name, setting, epsilon, horizon, range(runs), at)  # noqa: E731
    return best_of(3, run) / runs


def loop_of(name, means, epsilon):
    """The plain compiled loop as a function of (horizon, states)."""
    means, noise = np.array(means), 1 / epsilon
    return {
        "anytime-lazy-ucb": lambda t, s: reference.lazy(0, False, means, noise, t, s),
        "lazy-dp-ts": lambda t, s: reference.lazy(1, False, means, noise, t, s),
        "lazy-dp-ts, quick Betas": lambda t, s: reference.lazy(2, False, means, noise, t, s),
        "thompson": lambda t, s: reference.thompson(means, t, s),
        "dp-se": lambda t, s: reference.dp_se(False, means, noise, t, s),
        "adap-ucb": lambda t, s: reference.adap(False, 3.1, False, means, noise, t, s),
        "adap-klucb": lambda t, s: reference.adap(True, 3.1, False, means, noise, t, s),
        "dp-klucb": lambda t, s: reference.phases(False, 1.1, False, means, epsilon, t, s),
        "dp-imed": lambda t, s: reference.phases(True, 1.1, False, means, epsilon, t, s),
        "rnm-ftnl": lambda t, s: reference.full_information(True, means, noise, t, s),
        "ftnl": lambda t, s: reference.full_information(True, means, len(means) * noise, t, s),
        "ftl": lambda t, s: reference.full_information(False, means, noise, t, s),
        "ucb1": lambda t, s: reference.ucb(False, means, t, s),
        "kl-ucb": lambda t, s: reference.ucb(True, means, t, s),
    }[name]


def loop_seconds(name, means, epsilon, horizon, variant=""):
    loop = loop_of(name + variant, means, epsilon)
    setting = algorithms.get_algorithm(name).setting(means=means)
    states = lambda n: streams_for(name, setting, epsilon, horizon, range(n)).states()  # noqa: E731
    loop(1000, states(1))
    short = {"lazy-dp-ts": 10, "thompson": 10, "kl-ucb": 100}.get(name, 1)
    rounds = horizon // short
    return best_of(3, lambda: loop(rounds, states(1))) * horizon / rounds


def numpy_seconds_per_round(means, epsilon, rounds=20_000):
    """Anytime-Lazy-UCB as one would write it first: NumPy arrays, a Python loop."""
    rng, means = np.random.default_rng(0), np.array(means)
    arms = len(means)
    used, fresh, total = np.ones(arms), np.zeros(arms), np.zeros(arms)
    mean = (rng.random(arms) < means) + rng.laplace(0, 1 / epsilon, arms)
    start = time.process_time()
    for t in range(arms + 1, rounds + 1):
        index = mean + np.sqrt(3 * math.log(t) / used) + 3 * math.log(t) / (epsilon * used)
        arm = int(np.argmax(index))
        fresh[arm] += 1
        total[arm] += rng.random() < means[arm]
        if fresh[arm] == 2 * used[arm]:
            used[arm] = fresh[arm]
            mean[arm] = (total[arm] + rng.laplace(0, 1 / epsilon)) / used[arm]
            fresh[arm] = total[arm] = 0
    return (time.process_time() - start) / rounds


def variants():
    """RNM-FTNL's variants: their cost follows the epochs."""
    horizons = [10**power for power in (4, 6, 9, 12)]
    print("\nrnm-ftnl (eps = 1, Figure 1), engine us at T = 10^4, 10^6, 10^9, 10^12")
    for variant in ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase"):
        means, runs = MEANS["fig1"], 2000
        costs = [engine_seconds("rnm-ftnl", means, 1.0, t, runs, variant=variant) for t in horizons]
        print(f"  {variant:17s}" + "".join(f"{cost * 1e6:8.1f}" for cost in costs), flush=True)


def tied():
    """Lazy-DP-TS where arms stay tied for best, over T; the leaps' compilation is not in it."""
    horizons = [10**power for power in (6, 7, 8, 10, 12)]
    print("\nlazy-dp-ts, tied arms (eps = 1), engine ms at T = 10^6, 10^7, 10^8, 10^10, 10^12")
    for means in ((0.75, 0.75, 0.5), (0.5,) * 5):
        costs = [engine_seconds("lazy-dp-ts", means, 1.0, t, 3) for t in horizons]
        print(f"  {means!s:27s}" + "".join(f"{cost * 1e3:8.1f}" for cost in costs), flush=True)


def main():
    horizon = 10**6
    per_round = numpy_seconds_per_round(MEANS["fig1"], 1.0)
    print(f"plain NumPy loop (Anytime-Lazy-UCB): {per_round * 1e6:.1f} us per round\n")
    print("The last two columns: cost at T = 10^4 and at T = 10^12 over the cost at 10^6.")
    print("T = 10^6, K = 5        engine      rounds/s   plain loop    ratio  to NumPy")
    rows = [
        *[(n, "fig1", 1.0) for n in ("anytime-lazy-ucb", "dp-se", "adap-ucb", "adap-klucb")],
        *[(n, "fig1", 1.0) for n in ("dp-klucb", "dp-imed", "rnm-ftnl", "ftnl")],
        *[("lazy-dp-ts", f, e) for f in MEANS for e in (0.25, 1.0)],
        *[(n, "fig1", math.inf) for n in ("thompson", "ftl", "ucb1", "kl-ucb")],
    ]
    for name, figure, epsilon in rows:
        means = MEANS[figure]
        slow = name in ("lazy-dp-ts", "thompson", "ucb1", "kl-ucb")
        runs = 10 if slow else 2000
        mine = engine_seconds(name, means, epsilon, horizon, runs)
        loop = loop_seconds(name, means, epsilon, horizon)
        near = engine_seconds(name, means, epsilon, 10**4, runs) / mine
        few = 2 if name in ("thompson", "ucb1", "kl-ucb") else runs
        far = engine_seconds(name, means, epsilon, 10**12, few) / mine
        print(
            f"{name:17s}{figure} {epsilon:4g} {mine * 1e6:9.1f} us {horizon / mine:9.2g} "
            f"{loop * 1e3:9.2f} ms {loop / mine:8.0f} {per_round * horizon / mine:9.2g}   "
            f"x {near:.2f}  x {far:.2f}",
            flush=True,
        )
        if name == "lazy-dp-ts":
            quick = loop_seconds(name, means, epsilon, horizon, ", quick Betas")
            print(f"   loop with our Beta sampler {quick * 1e3:10.2f} ms {quick / mine:8.0f}")
    print("\nlazy-dp-ts over T (eps = 1, Figure 1): engine ms, ratio to the plain loop")
    loop = loop_seconds("lazy-dp-ts", MEANS["fig1"], 1.0, 10**6) / 10**6
    for power in (4, 5, 6, 7, 8, 9, 12):
        mine = engine_seconds("lazy-dp-ts", MEANS["fig1"], 1.0, 10**power, 20)
        print(
            f"  10^{power:<3d} {mine * 1e3:8.2f} ms   {loop * 10**power / mine:12.0f}", flush=True
        )
    tied()
    variants()
    print("\nlazy-dp-ts at 10^9 rounds, the six panels: engine ms")
    for figure, means in MEANS.items():
        for epsilon in (0.25, 0.5, 1.0):
            mine = engine_seconds("lazy-dp-ts", means, epsilon, 10**9, 20)
            print(f"  {figure} eps {epsilon:<4g} {mine * 1e3:6.1f} ms", flush=True)


if __name__ == "__main__":
    main()
