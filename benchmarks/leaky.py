"""What each part of leaky-linear is worth: regret over a random arm's without it.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/leaky.py

prints means of SEEDS instances that nothing else uses, with standard errors of the difference to
all parts on the same people; epsilon 1.
"""

from unittest.mock import patch

import numpy as np

from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse import leaky_linear
from dpbandits.sparse.dense import DenseSetting, Instance
from dpbandits.sparse.dp_linear import DpLinear
from dpbandits.sparse.engine.leaky_linear import batch_by_batch

SEEDS, ROUNDS = range(70_000, 70_008), (2000, 5000, 20_000, 100_000)
SIZES = ({"d": 5, "arms": 5}, {"d": 20, "arms": 5}, {"d": 20, "arms": 5, "law": "clusters"})
ONE = np.array([leaky_linear.UNIT - 1.0])
PARTS = {  # what is changed in its module
    "all": {"LEAKS": leaky_linear.LEAKS},
    "no leak": {"LEAKS": ONE},
    "no leak, batches double": {"LEAKS": ONE, "GROWTH": 2.0},
    "no contrasts": {"OMEGA": (1, 1)},
    "no large eigenvalues": {"EDGE": np.inf},
    "Gram matrices by arm alike in all batches": {"OWN": (0.1, 0.1)},
    "no Gram matrices by arm": {"OWN": (1e-9, 1e-9)},
    "dp-linear": None,
}


def share(setting: DenseSetting, changes: dict | None, seed: int) -> np.ndarray:
    instance = Instance(setting, seed, np.random.default_rng(seed))
    cls = DpLinear if changes is None else leaky_linear.LeakyLinear
    with patch.multiple(leaky_linear, **(changes or PARTS["all"])):
        own = cls(setting.public, 1.0, SimulatedNoise(instance.rng), instance.rng)
        regret = batch_by_batch(own, instance, ROUNDS[-1])
    return np.cumsum(regret)[np.array(ROUNDS) - 1] / instance.idle() / ROUNDS


if __name__ == "__main__":
    for size in SIZES:
        setting = DenseSetting(**size)
        shares = {
            name: np.array([share(setting, changes, seed) for seed in SEEDS])
            for name, changes in PARTS.items()
        }
        for name, found in shares.items():
            errors = (found - shares["all"]).std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
            cells = (f"{x:.3f} ± {e:.3f}" for x, e in zip(found.mean(axis=0), errors, strict=True))
            print(f"{setting.law} d={setting.d} K={setting.arms}  {name:<41}", *cells, sep="  ")
