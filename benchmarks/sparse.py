"""FL's engines against the plain files, one run each, in one process.

    python benchmarks/sparse.py            # all
    python benchmarks/sparse.py --million  # d = 10^6 alone: seconds and peak memory

T = 10,000, K = 3, epsilon = 1; plain files run 1,000 rounds. A time is the smallest of several CPU
times.
"""

import argparse
import resource
import subprocess
import sys
import time

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: one thread

from dpbandits.core.algorithms import run

HORIZON = 10_000


def seconds(name: str, setting: dict, repeats: int, horizon: int, engine: str = "fast") -> float:
    times = []
    for seed in range(repeats):
        start = time.process_time()
        run(name, setting, 1.0, horizon, range(seed, seed + 1), [horizon], engine=engine)
        times.append(time.process_time() - start)
    return min(times)


def million() -> None:
    elapsed = seconds("fliphat-presets", {"d": 1_000_000, "preset": "released"}, 2, HORIZON)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"d = 1000000: {elapsed:.2f} s, peak memory {peak:.2f} GiB")


def main() -> None:
    cases = [("fliphat-presets", p) for p in ("released", "printed", "corrected", "zcdp")]
    for d, repeats in ((400, 10), (4000, 4)):
        for name, preset in [*cases, ("dp-signs", "")]:
            setting = {"d": d} | ({"preset": preset} if preset else {})
            seconds(name, setting, 1, HORIZON)  # compile
            fast = seconds(name, setting, repeats, HORIZON)
            small = seconds(name, setting, 2, 1000), seconds(name, setting, 2, 1000, "plain")
            print(
                f"d = {d}, {name} {preset}: {fast * 1e3:.1f} ms; at T = 1,000 "
                f"{small[0] * 1e3:.1f} ms, plain {small[1] * 1e3:.1f} ms"
            )
    subprocess.run([sys.executable, __file__, "--million"], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--million", action="store_true")
    million() if parser.parse_args().million else main()
