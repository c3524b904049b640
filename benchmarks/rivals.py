"""What leaky-linear's rivals lose by the constant that is ours to choose.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/rivals.py > benchmarks/rivals.csv

writes regret over a random arm's for each constant, five arms: geometric means over the people of
LAWS and over 2,000 to 100,000 of them, on instances that nothing else uses, for 5, 20 and 60
numbers a person and in all. What is not private has no epsilon.
"""

from concurrent.futures import ProcessPoolExecutor
from itertools import product
from unittest.mock import patch

import numpy as np

from dpbandits.reproduction.fl.algorithms import dense_published as published
from dpbandits.sparse import dense_rivals
from dpbandits.sparse.dense import DenseSetting, Instance

SEEDS = {5: range(84_000, 84_006), 20: range(84_000, 84_006), 60: range(84_000, 84_003)}  # by d
LAWS, FIVE = ("normal", "sparse", "skewed", "clusters"), ("sparse",)  # FIVE: five numbers matter
ROUNDS = np.array([2000, 5000, 20_000, 100_000])
RIVALS = {  # module, constant, what plays, its values, epsilons, people
    "LinUCB": (dense_rivals, "WIDTH", dense_rivals.linucb, (0.1, 0.25, 0.5, 1.0, 2.0), (1,), LAWS),
    "Thompson": (published, "WIDTH", published.lints, (0.1, 0.25, 0.5, 1.0), (1,), LAWS),
    "AdaPrivate-TS": (
        published, "SPREAD", published.adaprivate, (0.02, 0.05, 0.1, 0.25), (0.5, 1, 3), LAWS
    ),
    "FLIPHAT": (published, "STEP", published.fliphat, (0.001, 0.01, 0.03, 0.1), (1,), FIVE),
}  # fmt: skip


def shares_of(name: str, value: float, d: int, law: str, epsilon: float, seed: int) -> np.ndarray:
    """Regret over a random arm's, at ROUNDS."""
    module, constant, play, *_ = RIVALS[name]
    instance = Instance(DenseSetting(law=law, d=d, arms=5), seed, np.random.default_rng(seed))
    with patch.object(module, constant, value):
        regret = play(epsilon, instance, ROUNDS[-1])
    return np.cumsum(regret)[ROUNDS - 1] / instance.idle() / ROUNDS


def main() -> None:
    print("rival", "constant", "value", *(f"d = {d}" for d in SEEDS), "all", sep=",")
    with ProcessPoolExecutor() as pool:
        for name, (_, constant, _, values, epsilons, laws) in RIVALS.items():
            for value in values:
                means = []
                for d, seeds in SEEDS.items():
                    groups = [
                        [pool.submit(shares_of, name, value, d, law, epsilon, s) for s in seeds]
                        for law, epsilon in product(laws, epsilons)
                    ]
                    shares = [np.mean([run.result() for run in group], 0) for group in groups]
                    means.append(np.log(shares).mean())
                cells = (f"{x:.4f}" for x in np.exp([*means, np.mean(means)]))
                print(name, constant, value, *cells, sep=",", flush=True)


if __name__ == "__main__":
    main()
