"""What a decision costs: processor time of `act` and `update` with exact noise; and what an answer
costs (`intervals`, `best`, `difference`), of 20 arms after a million rounds. Learners are
measured in turn, REPEATS times, of which the run with the least mean counts.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/costs.py

writes costs.csv, of which docs/which.md says the numbers (`make texts`).
"""

import csv
import time
from pathlib import Path

import numpy as np

import dpbandits as dp

TABLE = Path(__file__).with_suffix(".csv")
REPEATS = 7
# learner, arms, features, rounds
CASES = [
    ("na-imed", 5, 0, 10_000), ("na-tt", 5, 0, 10_000), ("dp-linear", 5, 5, 5000),
    ("dp-linear", 5, 20, 5000), ("dp-linear", 5, 60, 5000), ("leaky-linear", 5, 5, 5000),
    ("leaky-linear", 5, 20, 5000), ("leaky-linear", 5, 60, 5000), ("dp-linear", 20, 60, 100_000),
    ("leaky-linear", 5, 60, 100_000), ("leaky-linear", 20, 60, 100_000),
]  # fmt: skip


def measured(name: str, arms: int, d: int, rounds: int) -> dict:
    """Mean and median, which has no ends of batches, in microseconds, the longest in
    milliseconds."""
    rng = np.random.default_rng(0)
    linear = {"d": d, "delta": 1e-6} if d else {}
    learner = dp.learner(name, arms=arms, epsilon=1.0, **linear)
    people = rng.standard_normal((rounds, d))
    rewards = rng.integers(0, 2, rounds).astype(float)
    spent = np.empty(rounds)
    for i in range(rounds):
        start = time.process_time()
        learner.act(*([people[i]] if d else []))
        learner.update(rewards[i])
        spent[i] = time.process_time() - start
    return row(name, arms, d, rounds, spent)


def row(name: str, arms: int, d: int, rounds: int, spent: np.ndarray) -> dict:
    mean, median, longest = 1e6 * spent.mean(), 1e6 * np.median(spent), 1e3 * spent.max()
    return {"learner": name, "arms": arms, "d": d, "rounds": rounds, "mean_us": f"{mean:.3g}",
            "median_us": f"{median:.3g}", "longest_ms": f"{longest:.2g}"}  # fmt: skip


def answers(arms: int = 20, rounds: int = 10**6, repeats: int = 10) -> list[dict]:
    """The same of answers; the rounds are played by the learner's algorithm alone."""
    rng = np.random.default_rng(0)
    learner = dp.learner("na-imed", arms=arms, epsilon=1.0, noise="simulated", seed=0)
    means, draws = rng.random(arms), rng.random(rounds)
    for draw in draws:
        arm = learner.algorithm.act()
        learner.algorithm.update(arm, float(draw < means[arm]))
    rows, asked = [], {"intervals": (), "best": (), "difference": (0, 1)}
    for what, of in asked.items():
        spent = []
        for _ in range(repeats):
            start = time.process_time()
            getattr(learner, what)(*of)
            spent.append(time.process_time() - start)
        rows.append(row(what, arms, 0, rounds, np.array(spent)))
    return rows


if __name__ == "__main__":
    runs = [[measured(*case) for case in CASES] for _ in range(REPEATS)]
    least = [min(of, key=lambda row: float(row["mean_us"])) for of in zip(*runs, strict=True)]
    rows = least + answers()
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
