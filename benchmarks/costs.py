"""What a decision costs: processor time of `act` and `update` with exact noise, five arms.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/costs.py

writes costs.csv, of which docs/which.md says the numbers (`make texts`).
"""

import csv
import time
from pathlib import Path

import numpy as np

import dpbandits as dp

TABLE = Path(__file__).with_suffix(".csv")
CASES = [("na-imed", 0, 10_000), ("dp-linear", 5, 5000), ("dp-linear", 20, 5000),
         ("dp-linear", 60, 5000), ("leaky-linear", 5, 5000), ("leaky-linear", 20, 5000),
         ("leaky-linear", 60, 5000)]  # fmt: skip  # learner, features, rounds


def measured(name: str, d: int, rounds: int) -> dict:
    """Mean in microseconds and the longest in milliseconds."""
    rng = np.random.default_rng(0)
    linear = {"d": d, "delta": 1e-6} if d else {}
    learner = dp.learner(name, arms=5, epsilon=1.0, **linear)
    people = rng.standard_normal((rounds, d))
    rewards = rng.integers(0, 2, rounds).astype(float)
    spent = np.empty(rounds)
    for i in range(rounds):
        start = time.process_time()
        learner.act(*([people[i]] if d else []))
        learner.update(rewards[i])
        spent[i] = time.process_time() - start
    mean, longest = 1e6 * spent.mean(), 1e3 * spent.max()
    return {"learner": name, "d": d, "rounds": rounds, "mean_us": f"{mean:.3g}",
            "longest_ms": f"{longest:.2g}"}  # fmt: skip


if __name__ == "__main__":
    rows = [measured(*case) for case in CASES]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
