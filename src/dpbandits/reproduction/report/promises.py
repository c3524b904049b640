"""The true privacy loss over the promised one, a row per method: a table of docs/index.md."""

import json
from functools import cache

import pandas as pd

from dpbandits.audit.questions import audit
from dpbandits.reproduction.files import project_file
from dpbandits.reproduction.fl.claims.privacy import DELTA, PROMISED, one_step
from dpbandits.reproduction.statistics import span

NOISY_MAX = {"arms": 2, "rounds": 4096, "adjacency": "replace"}


@cache
def rows() -> list[tuple[str, str, float, str]]:
    """(problem, method, true over promised epsilon, how it is known)."""
    us = pd.read_csv(project_file("figures/us/privacy.csv"))
    kl = pd.read_csv(project_file("figures/kl/tightness.csv"))
    kl = kl.loc[kl.groupby("claim")["worst"].idxmax()].set_index("claim")
    at = json.loads(kl["data_set"]["KL-T3-pure"])["B"]
    noisy = {
        noise: audit("rnm", scale=scale, noise=noise, **NOISY_MAX).pure_epsilon
        for noise, scale in (("laplace", 1), ("exponential", 2))
    }
    steps = [one_step(epsilon).epsilon(DELTA) / epsilon for epsilon in PROMISED]  # claim FL-T5.1
    one = f"at least: {span(steps, '.2f')}, by ε; at 13 steps nothing is refuted"
    preferences = f"largest found (B = {at:.2g}); at most 4"
    return [
        ("bandits", "Lazy-DP-TS", 1.0, "Theorem 4, exact for short runs"),
        ("experts", "RNM-FTNL as printed", noisy["laplace"], "exact"),
        ("experts", "RNM-FTNL, variant phase", noisy["exponential"], "exact"),
        ("sparse", "FLIPHAT, 1 step, contexts to 3.46", max(steps), one),
        ("sparse", "FLIPHAT as run in Section 6", float("inf"), "contexts without bound"),
        ("sparse", "FLIPHAT, preset zcdp", 1.0, "at most: Theorem B1"),
        ("kernel", "USCA as printed", us["worst"].max(), "exact, largest seen"),
        ("kernel", "USCA, calibration exact", 1.0, "exact"),
        ("KL", "Theorem 1 (bandits)", kl["worst"]["KL-T1-pure"], "largest found"),
        ("KL", "Theorem 3 (preferences)", kl["worst"]["KL-T3-pure"], preferences),
    ]
