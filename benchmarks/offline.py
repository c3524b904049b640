"""KL's audits against refitting each neighbour: `python benchmarks/offline.py`.

The reference refits some neighbours, and its time is scaled up to all of them.
"""

import time

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: one thread

import numpy as np

from dpbandits.core.divergences import pure_epsilon
from dpbandits.offline.losses import bandit as bandit_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.problem import BanditData, bandit_policy
from dpbandits.reproduction.kl.draws import draw_directions, draw_linear, draw_preferences
from dpbandits.reproduction.kl.linear_perturbation import PerturbedRidge

REFITS = 20  # neighbours that the reference refits


def seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def report(name: str, ours: float, reference: float) -> None:
    print(f"{name:<58} {ours:8.3f} s   refits {reference:10.1f} s   ratio {reference / ours:10.0f}")


def bandit(generator) -> None:
    n, arms = 10**6, 1000
    actions, rewards = generator.integers(0, arms, n), generator.random(n)

    def audit():
        data = BanditData.from_records(actions, rewards, arms)
        return bandit_loss.exact_loss(data, 0.1, 1.0, at_epsilon=(0.001, 0.01))

    def refits():
        policy = bandit_policy(BanditData.from_records(actions, rewards, arms), 0.1, 1.0)
        for i in range(REFITS):
            less = BanditData.from_records(np.delete(actions, i), np.delete(rewards, i), arms)
            pure_epsilon(policy, bandit_policy(less, 0.1, 1.0))

    neighbours = n + 2 * arms
    report(
        "bandit, n=10^6, 1000 arms: remove, add, two eps",
        seconds(audit),
        seconds(refits) * neighbours / REFITS,
    )


def linear(generator) -> None:
    n, d = 10**5, 20
    features, rewards = draw_linear(n, np.full(d, 0.1), 0.3, generator)
    actions = draw_directions(100, d, 1.0, generator)

    def audit():
        whole = LinearAudit(features, rewards, actions, eta=0.1, beta0=1.0, penalty=1.0)
        whole.worst(("remove",), (0.01,))

    def refits():
        for i in range(REFITS):
            kept = np.arange(n) != i
            LinearAudit(features[kept], rewards[kept], actions, eta=0.1, beta0=1.0, penalty=1.0)

    report(
        "linear, d=20, n=10^5, 100 actions: all removals, one eps",
        seconds(audit),
        seconds(refits) * n / REFITS,
    )
    searched(features, rewards, actions)


def searched(features, rewards, actions) -> None:
    """Additions and swaps cannot be enumerated: the CPU time of the search alone."""
    for kinds in (("add",), ("swap",)):
        start = time.process_time()
        audit = LinearAudit(features, rewards, actions, eta=0.1, beta0=1.0, penalty=1.0)
        audit.worst(kinds)
        spent = time.process_time() - start
        print(f"{f'linear, search of {kinds[0]}':<58} {spent:8.3f} s of CPU")


def perturbed(generator) -> None:
    """The reference draws the noise 10^5 times and has about three digits; ours has ten."""
    angles = 2 * np.pi * np.arange(5) / 5
    actions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    features, rewards = draw_linear(300, np.array([0.5, 0.0]), 0.3, generator)
    sigma, response = np.eye(2) + features.T @ features, features.T @ rewards
    sigmas = sigma - features[:, :, None] * features[:, None, :]
    responses = response - rewards[:, None] * features

    def laws():
        PerturbedRidge(angles, sigmas, responses, "objective").log_policies(3.0)

    def draws():
        for sigma, response in zip(sigmas[:REFITS], responses[:REFITS], strict=True):
            size, turn = generator.gamma(2.0, 3.0, 10**5), generator.uniform(0, 2 * np.pi, 10**5)
            b = size * np.stack([np.cos(turn), np.sin(turn)])
            theta = np.linalg.solve(sigma, response[:, None] + b)
            np.bincount((actions @ theta).argmax(axis=0), minlength=5)

    name = "perturbed ridge, 5 actions, n=300: all removals"
    report(name, seconds(laws), seconds(draws) * 300 / REFITS)


def preferences(generator) -> None:
    n, d = 1000, 5
    data = draw_preferences(n, np.full(d, 0.5), 0.3, generator)
    actions = draw_directions(20, d, 1.0, generator)

    whole = PreferenceAudit(data, actions, eta=0.1, beta0=1.0, penalty=1.0, radius=3.0)

    def refits():
        for i in range(REFITS):
            whole.without(i)

    report(
        "RLHF, d=5, n=1000, 20 actions: all removals, one eps",
        seconds(lambda: whole.worst(("remove",), (0.01,))),
        seconds(refits) * n / REFITS,
    )


if __name__ == "__main__":
    for run in (bandit, linear, perturbed, preferences):
        run(np.random.default_rng(0))
