"""docs/how-to/contexts-of-your-own.md: what the stronger algorithm without privacy has."""

import numpy as np
from scratch import ROOT
from sklearn.datasets import load_breast_cancer

import dpbandits as dp

SEEDS = range(3)


def patients():
    data = load_breast_cancer()
    return (data.data - data.data.mean(axis=0)) / data.data.std(axis=0), data.target


def linucb(rounds: int) -> float:
    """LinUCB with ridge 1 and width 1, in twelve lines of its own."""
    contexts, target = patients()
    features, right = np.hstack([contexts, np.ones((len(contexts), 1))]), 0
    for seed in SEEDS:
        inverse = np.array([np.eye(features.shape[1])] * 2)
        moments = np.zeros((2, features.shape[1]))
        for i in np.random.default_rng(seed).integers(len(features), size=rounds):
            x = features[i]
            widths = np.sqrt(np.einsum("i,kij,j->k", x, inverse, x))
            arm = int(np.argmax(np.einsum("i,kij,kj->k", x, inverse, moments) + widths))
            reward = float(arm == target[i])
            side = inverse[arm] @ x
            inverse[arm] -= np.outer(side, side) / (1 + x @ side)
            moments[arm] += reward * x
            right += reward
    return right / (len(SEEDS) * rounds)


def dp_linear(rounds: int) -> float:
    contexts, target = patients()
    right, given = 0.0, {"arms": 2, "d": 30, "delta": 1e-6, "noise": "simulated"}
    for seed in SEEDS:
        learner = dp.learner("dp-linear", seed=seed, allow_not_private=True, **given)
        for i in np.random.default_rng(seed).integers(len(contexts), size=rounds):
            arm = learner.act(contexts[i])
            learner.update(float(arm == target[i]))
            right += float(arm == target[i])
    return right / (len(SEEDS) * rounds)


def test_the_page_names_the_stronger_algorithm_without_privacy():
    page = (ROOT / "docs/how-to/contexts-of-your-own.md").read_text("utf-8")
    few, many = linucb(500), linucb(5000)
    assert f"| LinUCB | {few:.2f} | {many:.2f} |" in page
    assert f"| dp-linear | {dp_linear(500):.2f} | 0.97 |" in page
    assert few > dp_linear(500)
