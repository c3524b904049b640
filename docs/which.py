"""Make which.csv, the numbers behind which.md's table: regret of all private learners by size.

    python docs/which.py [FAMILY ...]

Some minutes of one core. `dpbandits.choose` on 200 random instances for each size; a test repeats
the shortest horizon and compares.
"""

import csv
import sys
from itertools import product
from pathlib import Path

import dpbandits as dp

TABLE = Path(__file__).with_suffix(".csv")
INSTANCES = 200
FAMILIES = {  # arms, range of the means
    "five": (5, (0.0, 1.0)),
    "twenty": (20, (0.0, 1.0)),
    "rates": (5, (0.01, 0.05)),
}
EPSILON = (0.1, 0.25, 1.0, 5.0)
HORIZON = (10**3, 10**4, 10**5, 10**6)


def rows(family, epsilon, horizon) -> list[dict]:
    arms, means = FAMILIES[family]
    found = dp.choose(arms=arms, means=means, epsilon=epsilon, horizon=horizon, instances=INSTANCES)
    place = {"family": family, "epsilon": f"{epsilon:g}", "horizon": str(horizon)}
    return [
        place | {
            "algorithm": row.algorithm, "mean": f"{row.mean:.6g}", "error": f"{row.error:.3g}",
            "p95": f"{row.p95:.6g}", "level": str(int(row.algorithm in found.level)),
        }
        for row in (*found.rows, *found.beside)
    ]  # fmt: skip


def main(families) -> None:
    kept = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    kept = [row for row in kept if row["family"] not in families]
    for family, horizon, epsilon in product(families, HORIZON, EPSILON):
        kept += rows(family, epsilon, horizon)
        print(family, horizon, epsilon, kept[-10]["algorithm"], flush=True)
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)


if __name__ == "__main__":
    main(sys.argv[1:] or list(FAMILIES))
