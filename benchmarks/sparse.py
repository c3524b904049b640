"""FL's engines against the compiled dense engine, one run each, in one process.

    python benchmarks/sparse.py            # all
    python benchmarks/sparse.py --million  # d = 10^6 alone: seconds and peak memory

T = 10,000, K = 3, epsilon = 1, released constants. A time is the least of `repeats` processor
times, so that other work on the machine counts little.
"""

import argparse
import resource
import subprocess
import sys
import time

import dpbandits  # noqa: F401  before NumPy

# isort: split
import numpy as np

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.streams import streams_for
from dpbandits.sparse.fliphat import simulate_with
from dpbandits.sparse.problem import SparseSetting

HORIZON, AT = 10_000, np.array([10_000])


def seconds(engine: str, setting: SparseSetting, repeats: int) -> float:
    times = []
    for seed in range(repeats):
        streams = streams_for("fliphat", setting, 1.0, HORIZON, range(seed, seed + 1))
        start = time.process_time()
        if engine == "dp-signs":  # one engine: the chosen rows' signs
            get_algorithm(engine).simulate(setting, 1.0, HORIZON, streams, AT)
        else:
            simulate_with(engine, setting, 1.0, HORIZON, streams, AT)
        times.append(time.process_time() - start)
    return min(times)


def million() -> None:
    elapsed = seconds("lazy", SparseSetting(d=1_000_000), 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"d = 1000000: lazy {elapsed:.2f} s, peak memory {peak:.2f} GiB")


def main() -> None:
    seconds("dense", SparseSetting(d=20), 2)  # compile
    seconds("clipped", SparseSetting(d=20, preset="corrected"), 2)
    seconds("dp-signs", SparseSetting(d=20), 2)
    for d, repeats in ((400, 10), (4000, 4)):
        for preset, fast in (
            ("released", "lazy"),
            ("printed", "lazy"),
            ("corrected", "clipped"),
            ("zcdp", "clipped"),
        ):
            setting = SparseSetting(d=d, preset=preset)
            dense, quick = seconds("dense", setting, repeats), seconds(fast, setting, repeats)
            print(
                f"d = {d}, {preset}: dense {dense * 1e3:.1f} ms, {fast} {quick * 1e3:.1f} ms, "
                f"ratio {dense / quick:.1f}"
            )
        signs = seconds("dp-signs", SparseSetting(d=d), repeats)
        print(f"d = {d}, dp-signs {signs * 1e3:.1f} ms, zcdp's dense over it {dense / signs:.1f}")
    subprocess.run([sys.executable, __file__, "--million"], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--million", action="store_true")
    million() if parser.parse_args().million else main()
