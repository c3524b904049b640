"""What each part of leaky-linear is worth: regret over a random arm's without it.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/leaky.py

prints means of SEEDS instances that nothing else uses, with standard errors of the difference to
all parts on the same people; epsilon 1.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/leaky.py 5 5000 5100 "LATER=0"

prints how many people it needs with 5 numbers a person until half of a random arm's regret is
saved, over those of dp-linear, on the instances of seeds 5000 to 5099, with constants changed.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/leaky.py "LEAST=1e9"

prints regret over a random arm's, and what a change of constants adds to it, where contexts decide,
where they say nothing, and on Thornton's people: means of the instances of PAIRS, with standard
errors of the difference; epsilon 1.
"""

import math
import sys
from ast import literal_eval
from itertools import product
from unittest.mock import patch

import numpy as np

from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse import leaky_linear
from dpbandits.sparse.dense import DenseSetting, Instance
from dpbandits.sparse.dp_linear import DpLinear
from dpbandits.sparse.engine.leaky_linear import batch_by_batch

SEEDS, ROUNDS = range(70_000, 70_008), (2000, 5000, 20_000, 100_000)
PAIRS, SHORT = range(71_000, 71_060), np.array([500, 1000, 2000, 5000, 10_000])
THORNTON = "thornton", 2, 4
SIZES = (  # and what is added to all numbers
    ({"d": 5, "arms": 2}, 0.0),
    ({"d": 5, "arms": 5}, 0.0),
    ({"d": 20, "arms": 5}, 0.0),
    ({"d": 20, "arms": 5, "law": "clusters"}, 0.0),
    ({"d": 5, "arms": 5}, 3.0),
    ({"d": 20, "arms": 5, "law": "worthless"}, 0.0),
)
ONE = np.array([leaky_linear.UNIT - 1.0])
PARTS = {  # what is changed in its module
    "all": {"LEAKS": leaky_linear.LEAKS},
    "no leak": {"LEAKS": ONE},
    "no leak, batches double": {"LEAKS": ONE, "GROWTH": 2.0},
    "no contrasts": {"OMEGA": (1, 1)},
    "Gram matrices by arm of each batch alone": {"NEAR": 1e-9},
    "Gram matrices by arm in all batches": {"LATER": 0},
    "no Gram matrices by arm": {"LATER": np.inf},
    "no first people": {"LEAST": np.inf},
    "equal shares of the first batch": {"EVEN": 1.0},
    "no benefit of the doubt": {"doubt": lambda theta, precision, z: 0.0},
    "a new map after each release": {"SAME": (1.0, 0.0)},
    "contexts of any length": {"REACH": 1e9},
    "dp-linear": None,
}


class Moved(Instance):
    shift = 0.0

    def people(self, n):
        x, *rest = super().people(n)
        return x + self.shift, *rest


def share(setting, changes: dict | None, seed, epsilon=1.0, rounds=ROUNDS, shift=0.0) -> np.ndarray:
    instance = Moved(setting, seed, np.random.default_rng(seed))
    instance.shift = shift
    cls = DpLinear if changes is None else leaky_linear.LeakyLinear
    with patch.multiple(leaky_linear, **(changes or PARTS["all"])):
        own = cls(setting.public, epsilon, SimulatedNoise(instance.rng), instance.rng)
        regret = batch_by_batch(own, instance, rounds[-1])
    return np.cumsum(regret)[np.array(rounds) - 1] / instance.idle() / rounds


def needed(shares: np.ndarray, rounds: np.ndarray) -> float:
    """ln of the round at which the mean share has fallen to a half."""
    return np.interp(-0.5, -np.minimum.accumulate(shares.mean(axis=0)), np.log(rounds))


def constants(words: list[str]) -> dict:
    return {key: literal_eval(text) for key, text in (word.split("=") for word in words)}


def people(d: int, seeds: range, changes: dict) -> None:
    """Over those of dp-linear, with bootstrap standard errors, by arms and epsilon."""
    for arms in (2, 5):
        for epsilon in (0.5, 1.0, 3.0):
            setting, most = DenseSetting(d=d, arms=arms), 400 * arms * d**0.8 / epsilon
            rounds = np.unique(np.geomspace(20, min(most, 60_000), 90).astype(int))
            ours, others = (
                np.array([share(setting, c, seed, epsilon, rounds) for seed in seeds])
                for c in (changes, None)
            )
            picks = np.random.default_rng(0).integers(len(seeds), size=(300, len(seeds)))
            error = np.std([needed(ours[i], rounds) - needed(others[i], rounds) for i in picks])
            ratio = np.exp(needed(ours, rounds) - needed(others, rounds))
            print(f"K={arms}  epsilon={epsilon}  {ratio:.2f} ± {ratio * error:.2f}", flush=True)


def changed(changes: dict) -> None:
    for law, d, arms in (*product(("normal", "worthless"), (5, 20, 60), (2, 5)), THORNTON):
        setting = DenseSetting(law=law, d=d, arms=arms)
        own, other = (
            np.array([share(setting, c, seed, rounds=SHORT) for seed in PAIRS])
            for c in (PARTS["all"], changes)
        )
        more, error = (other - own).mean(axis=0), (other - own).std(axis=0, ddof=1)
        cells = zip(own.mean(axis=0), more, error / math.sqrt(len(PAIRS)), strict=True)
        texts = (f"{mean:.3f} {m:+.3f} ± {e:.3f}" for mean, m, e in cells)
        print(f"{law} d={d} K={arms}", *texts, sep="  ", flush=True)


def ablation() -> None:
    for size, shift in SIZES:
        setting = DenseSetting(**size)
        shares = {
            name: np.array([share(setting, changes, seed, shift=shift) for seed in SEEDS])
            for name, changes in PARTS.items()
        }
        for name, found in shares.items():
            errors = (found - shares["all"]).std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
            cells = (f"{x:.3f} ± {e:.3f}" for x, e in zip(found.mean(axis=0), errors, strict=True))
            of = f"{setting.law} d={setting.d} K={setting.arms}" + f" + {shift:g}" * (shift > 0)
            print(f"{of}  {name:<40}", *cells, sep="  ", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        ablation()
    elif "=" in sys.argv[1]:
        changed(constants(sys.argv[1:]))
    else:
        d, *ends = map(int, sys.argv[1:4])
        people(d, range(*ends), constants(sys.argv[4:]) or PARTS["all"])
