"""One run of `na-tt`: what could be said after each release, and when it ends."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Count, Model
from dpbandits.core.port import SimulatedNoise
from dpbandits.reproduction.series import Share
from dpbandits.reproduction.studies import study
from dpbandits.stochastic.problem import Mean


class OneRun(Model):
    means: tuple[Mean, ...]
    epsilon: float
    confidence: Share
    seed: Count


@study("hu/one_run", params=OneRun, runs=("na-tt",))
def one_run(params: OneRun) -> pd.DataFrame:
    """After each release, of each arm: the interval, and the usual one (the noisy mean +- so many
    standard deviations, as if nobody had looked before)."""
    K, rng = len(params.means), np.random.default_rng(params.seed)
    made = {"noise": SimulatedNoise(rng), "rng": rng, "confidence": params.confidence}
    learner = get_algorithm("na-tt").learner(K, params.epsilon, **made)
    z, rows, t, seen = norm.ppf((1 + params.confidence) / 2), [], 0, 0
    while not learner.over:
        arm = learner.act()
        learner.update(arm, float(rng.random() < params.means[arm]))
        t += 1
        if len(learner.releases) > seen and learner.m.min() > 0:
            says = learner.inference(0)
            best, ends = says.best(params.confidence), says.intervals(params.confidence)
            mean, noise = learner.means()
            spread = np.clip(mean * (1 - mean), 0, 1) / learner.n
            usual = z * np.sqrt(spread + noise**2)
            rows += [
                {"t": t, "arm": k, "truth": params.means[k], "mean": mean[k], "low": ends[k][0],
                 "high": ends[k][1], "usual_low": mean[k] - usual[k],
                 "usual_high": mean[k] + usual[k], "leader": best.leader,
                 "evidence": best.evidence, "needed": best.needed, "over": bool(learner.over)}
                for k in range(K)
            ]  # fmt: skip
        seen = len(learner.releases)
    return pd.DataFrame(rows)
