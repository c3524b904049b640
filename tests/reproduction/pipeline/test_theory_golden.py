"""No value of a printed or repaired bound changes unnoticed: every function of the four theory.py
and of KL's corollaries at a few arguments. That the values are right is tested with each paper.

After an intended change this file, run as a script, writes theory.csv again. Look at the
difference.
"""

import csv
import inspect
from dataclasses import asdict, is_dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from dpbandits.kernel.problem import KernelSetting
from dpbandits.offline import theory as offline
from dpbandits.reproduction.fl import theory as sparse
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.us import theory as kernel

PLACES = {"stochastic": "reproduction.hu.theory", "sparse": "reproduction.fl.theory",
          "kernel": "reproduction.us.theory", "offline": "offline.theory",
          "printed": "reproduction.kl.theory",
          "corollaries": "reproduction.kl.corollaries"}  # fmt: skip
FILE = Path(__file__).with_name("theory.csv")
SETTING = KernelSetting(kernel="cosine", dim=1, context_law="uniform", grid=11)
PROBLEM = SimpleNamespace(
    sparsity=3, true_sparsity=2, x_max=1.5, b_max=1.1, d=50, sigma=0.3, delta=0.1
)
KNOWN = kernel.Constants(B=1.5, F=1.4, R=0.3, tau=0.5)
EFFECTIVE = kernel.Effective(largest=0.4, dimension=12.0, share=0.9, horizon=1000, tau=0.5)
ACTIONS = np.array([[1.0, 0.0], [0.2, 0.7], [-0.5, 0.1]])
INVERSE, LOG_PI = np.array([[0.2, 0.05], [0.05, 0.4]]), np.log([0.5, 0.2, 0.3])
CONTEXT = offline.context_of(ACTIONS, INVERSE, 2 * INVERSE, 3 * INVERSE, LOG_PI)
VALUES = {  # of a parameter, one or several
    "gap": (0.1, 0.6, 0.9), "gaps": ([0.1, 0.3, 0.8], [0.05, 0.06, 0.5]), "best": 0.9,
    "means": ([0.9, 0.6, 0.1], [0.7, 0.65, 0.2]), "arms": (3, 40), "horizon": (1000, 10**6),
    "epsilon": (0.2, 1.0, 5.0), "delta": (0.1, 1e-3), "constant": 24.0, "s": (1, 7), "last": 1e3,
    "k": 3, "n": (30, 500), "p": 0.3, "shift": 0.2, "r": (1, 4), "m": (1, 2, 5),
    "schedule": ("phase", "prefix"), "kappa": (2.0, 5.0), "kappa_low": 0.3, "noise": 0.7, "F": 1.4,
    "gradient": 0.2, "sparsity": (3, 9), "true_sparsity": (2, 4), "d": (50, 400), "sigma": 0.3,
    "alpha": (0.0, 0.4, 1.0, 2.5), "reach": 1.3, "rows": (300.0, 5e4), "rho": (0.1, 2.0),
    "low": 0.4,
    "contexts": sparse.Contexts(4, 1.2, 0.6, 1.5, 1.1, 0.2), "size": sparse.Size(200, 4, 3),
    "margin": (sparse.Margin(1.0, 0.5), sparse.Margin(0.5, 0.7, 2.0)),
    "high_probability": (False, True), "decay": (1.5, 3.0), "C_p": 0.8, "gamma": (4.0, 60.0),
    "tau": (0.5, 2.0), "setting": SETTING, "grids": (1.0, 11.0), "K": (50, 4000), "points": 121,
    "known": (KNOWN, replace(KNOWN, grids=9.0, printed="proof")), "printed": ("statement", "proof"),
    "e": (EFFECTIVE, replace(EFFECTIVE, largest=0.004, share=0.8)),
    "norm": 1.5, "R": 0.3, "sensitivity": 0.2, "eta": (0.5, 2.0), "delta0": 1e-4, "times": (2, 30),
    "bound": offline.Bound(0.3, 1e-4), "slack": 1e-5, "error": 0.1, "min_count": (5, 60),
    "beta0": (0.5, 3.0, 300.0), "reward_max": (1.0, 2.0), "max_count": (90, 700), "n0": (20, 60),
    "records": (100, 900), "dimension": (2, 5), "lambda_min": (3.0, 40.0), "penalty": (1.0, 2.5),
    "coverage": claimed.Coverage(3, 0.2, 9.0), "k1": (0.1, 0.6), "actions": 3, "c": (1.5, 4.0),
    "radius": (0.4, 1.7), "log_odds": (-30.0, 0.5, 40.0), "spread": (0.1, 1.2), "count": (6, 70),
    "mass_before": 0.01, "mass_after": 0.03, "reference_ratio": (1.0, 4.0), "longest": (1.0, 2.0),
    "apart": (0.7, 2.0), "chosen": (offline.Narrowest(CONTEXT, 1), offline.Narrowest(CONTEXT, 2)),
    "inverse": INVERSE, "change": 2 * INVERSE, "log_reference": LOG_PI,
    "spread_inverse": 2 * INVERSE, "x": 2.0, "ratio": lambda n: 1 / n,
}  # fmt: skip
OWN = {  # where a parameter of the same name is another thing
    "stochastic.lazy_ucb_worst_case": {"horizon": 10**9},  # below, it is the horizon
    "stochastic.lazy_ts_worst_case": {"horizon": 10**9},
    "sparse.corrected_estimation_bound": {"setting": PROBLEM},
    "sparse.printed_non_private": {"alpha": (0.0, 0.4)},
    "sparse.privacy_threshold": {"alpha": (0.0, np.inf)},
    "offline.context_of": {"actions": ACTIONS, "reach": 3 * INVERSE},
    "offline.linear_sets": {"actions": ACTIONS},
    "offline.preference_sets": {"actions": ACTIONS},
}


def functions():
    for name, place in PLACES.items():
        module = import_module(f"dpbandits.{place}")
        for key, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not key.startswith("_"):
                yield f"{name}.{key}", function


def calls(name: str, function):
    """Each argument takes its values in turn, so that one function is called a few times."""
    known = VALUES | OWN.get(name, {})
    choices = {key: known[key] for key in inspect.signature(function).parameters}
    choices = {k: v if isinstance(v, tuple) else (v,) for k, v in choices.items()}
    for i in range(max(map(len, choices.values()), default=1)):
        yield partial(function, **{k: v[i % len(v)] for k, v in choices.items()})


def numbers(value) -> list[str]:
    if is_dataclass(value):
        value = asdict(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple) or np.ndim(value):
        return [text for part in value for text in numbers(part)]
    return [f"{float(value):.6g}" if isinstance(value, float) else str(value)]


def found():
    for name, function in functions():
        for i, call in enumerate(calls(name, function)):
            values = numbers(call())
            if len(values) > 40:
                values = [*values[:3], f"{sum(map(float, values)):.6g}"]
            yield [name, str(i), " ".join(values)]


def test_values_are_the_stored_ones():
    with open(FILE, newline="", encoding="utf-8") as file:
        assert list(found()) == list(csv.reader(file))


if __name__ == "__main__":
    with open(FILE, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(found())
