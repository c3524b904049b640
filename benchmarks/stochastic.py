"""HU's engines against the algorithms' own files: CPU time per run.

    python benchmarks/stochastic.py

K = 5 arms. Engines: the smallest of three times at several horizons, random streams included. The
plain files run round by round; the ratio is for ROUNDS rounds, and grows with T.
"""

import math
import time

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: one thread

from dpbandits.core.algorithms import get_algorithm, run

SETTING = {"means": [0.75, 0.625, 0.5, 0.375, 0.25]}
VARIANTS = ("printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase")
ROUNDS = 10**4
SLOW = ("lazy-dp-ts", "thompson", "ucb1", "kl-ucb")
PRIVATE = ("anytime-lazy-ucb", "lazy-dp-ts", "dp-se", "adap-ucb", "adap-klucb", "dp-klucb",
           "dp-imed", "na-imed", "ftnl")  # fmt: skip
CASES = [
    *((name, {}, (10**6, 10**9)) for name in PRIVATE),
    *(("rnm-ftnl", {"variant": variant}, (10**6, 10**9)) for variant in VARIANTS),
    *((name, {}, (10**6,)) for name in ("ftl", "thompson", "ucb1", "kl-ucb")),
]


def seconds_per_run(name, extra, horizon, runs, engine="fast"):
    epsilon = 1.0 if get_algorithm(name).private else math.inf
    times = []
    for _ in range(3 if engine == "fast" else 1):
        start = time.process_time()
        run(name, SETTING | extra, epsilon, horizon, range(runs), [horizon], engine=engine)
        times.append(time.process_time() - start)
    return min(times) / runs


def main():
    print(f"{'engine, us per run at T =':28s}{'10^4':>10s}{'10^6':>10s}{'10^9':>10s}", end="")
    print(f"{'plain, ms at 10^4':>20s}{'ratio':>8s}")
    for name, extra, horizons in CASES:
        seconds_per_run(name, extra, 1000, 1)  # compiles
        runs = 10 if name in SLOW else 1000
        fast = [seconds_per_run(name, extra, t, runs) for t in (ROUNDS, *horizons)]
        plain = seconds_per_run(name, extra, ROUNDS, 1, "plain")
        times = "".join(f"{seconds * 1e6:10.1f}" for seconds in fast)
        label = " ".join([name, *extra.values()])
        print(f"{label:28s}{times:30s}{plain * 1e3:20.0f}{plain / fast[0]:8.0f}", flush=True)


if __name__ == "__main__":
    main()
