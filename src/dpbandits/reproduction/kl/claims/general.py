"""KL's claims on its setting and on policies in use: (1), Lemma 1, Section 4.4, the abstract."""

import math

import numpy as np

from dpbandits.core.divergences import log_normalise
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.problem import BanditData, bandit_policy, objective, uniform_reference
from dpbandits.reproduction.kl import corollaries, rivals
from dpbandits.reproduction.kl.claims.findings import attacked, refuted
from dpbandits.reproduction.kl.finite_laws import delta_at, policy
from dpbandits.reproduction.kl.studies.repeated_sampling import epsilon_of_draws
from dpbandits.reproduction.kl.summaries import best_means
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof


def optimal_policy(tables) -> Finding:
    """J of mixtures of the optimal policy with the uniform one."""
    means, eta, reference = np.array([0.9, 0.5, 0.1]), 0.2, uniform_reference(3)
    best = log_normalise(reference + means / eta)
    mixed = np.linspace(0.0, 0.9, 7)
    others = [log_normalise(np.log((1 - w) * np.exp(best) + w / 3)) for w in mixed]
    values = [float(objective(log_pi, means, reference, eta)) for log_pi in others]
    return Finding(points=points_of(values, at_most=values[0]))


def lemma_1_partition(tables) -> dict[str, Finding]:
    """delta at eps = 0 of score pairs (-10, 0), (h, 0) against the larger mass of the rest."""
    heights = (-10, -6, -2, 2, 6, 10)
    pairs = [(policy([-10, 0], 1), policy([h, 0], 1)) for h in heights]
    deltas = [float(delta_at(p, q, 0).mid()) for p, q in pairs]
    rest = [max(float(p[0].mid()), float(q[0].mid())) for p, q in pairs]
    found = points_of(deltas, at_most=rest)
    return {"all-data-sets": Finding(numbers=attacked(tables, "L1 partition"), points=found)}


def composition(tables) -> dict[str, Finding]:
    rows = tables("repeated_sampling")
    bound = rows[["basic", "advanced"]].min(axis=1)
    share = float((rows["exact"] / bound).max())
    require_proof(share <= 1 + 1e-9, "the composition theorems bound the exact ε")
    drawn = points_of(rows["exact"], at_most=bound)
    constant = refuted(tables, "KL-S4.4-composition.k-constant", attack="T draws")
    numbers = constant.numbers | {"draws": nearest_draws()}
    return {
        "printed": Finding(numbers={"share": share}, points=drawn),
        "k-constant": Finding("violated", numbers, constant.points),
    }


def nearest_draws() -> float:
    """The exact eps of 400 draws over the repaired bound."""
    p, q = (1 / (1 + math.exp(-logit)) for logit in (0.248, 0.689))
    exact = epsilon_of_draws(p, q, 400, 1e-30)
    return exact / float(corollaries.corrected_draws(0.689 - 0.248, 400, 1e-30).epsilon)


def noise_is_worse(tables) -> dict[str, Finding]:
    """Nothing of the algorithms that the paper cites; of noise in general, more reward at a smaller
    loss at one instance, and how often a mechanism with noise leads in the utility table."""
    (loss, reward), (noisy_loss, noisy_reward) = baseline_instance()
    better = noisy_loss < loss and noisy_reward > reward
    require_proof(better, "more reward at a smaller loss")
    means = best_means(tables("utility_vs_privacy"))
    lead = means["noise"] - means["regularised"]
    problem, epsilon = lead.idxmax()
    numbers = {"led": (lead > 0).sum(), "levels": len(lead), "lead": lead.max()}
    numbers |= {"where": f"{problem}, loss {epsilon:g}", "behind": max(0.0, -lead.min())}
    numbers |= {"reward": noisy_reward, "policy_reward": reward, "more": noisy_reward - reward}
    numbers |= {"loss": noisy_loss, "policy_loss": loss, "share": noisy_loss / loss}
    found = points_of([noisy_reward], at_least=reward)
    asked = Finding("untestable", points=points_of([noisy_reward]))
    return {"printed": asked, "ours: noise in general": Finding("holds", numbers, found)}


ARMS, RECORDS, ETA, SCALE = (60.0, 50.0), 100, 57 / 2000, 1 / 40


def baseline_instance() -> tuple[tuple[float, float], tuple[float, float]]:
    """(exact pure loss, expected reward) of the regularised policy, and of the noisy argmax.
    The noise has one scale at every data set, whatever the number of records is."""
    data = BanditData(np.full(2, RECORDS), np.array(ARMS), np.zeros(2), np.ones(2))
    means = data.sums / data.counts
    loss, log_pi = exact_loss(data, ETA, 0.0).pure, bandit_policy(data, ETA, 0.0)

    def noisy(counts, sums, scale):
        return rivals.noisy_argmax(sums / counts, np.full(2, scale))

    noisy_loss, noisy_log_pi = rivals.bandit_loss(data, noisy, SCALE)
    reward, noisy_reward = (float(np.exp(law) @ means) for law in (log_pi, noisy_log_pi))
    return (loss, reward), (float(noisy_loss), noisy_reward)
