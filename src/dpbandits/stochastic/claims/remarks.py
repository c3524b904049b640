"""HU's remarks on its own bounds of full information: the minimax rate, the doubling gaps."""

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.stochastic import theory
from dpbandits.stochastic.claims.full_information import PROOF
from dpbandits.stochastic.studies.conjecture import conjecture_gaps


@claim(
    "HU-S5-minimax",
    where="Section 5, after Theorem 12",
    statement=r"with $\Delta_{\min} = \sqrt{\ln K/T}$: every $\varepsilon$-private learner has "
    r"worst-case regret $\Omega(\max(\sqrt{T \ln K}, \ln K/\varepsilon))$, provided that $T \ge "
    r"\ln K/(100\varepsilon^2)$",
    kind="lower bound",
    neighbours="one reward vector replaced",
)
def minimax(tables) -> Verdict:
    log_k = np.geomspace(1, 1e6, 13)
    return Verdict.refuted(
        method="proof",
        scope=r"$T = 1$, $\varepsilon \ge \sqrt{\ln K}/10$, any learner",
        measured="the regret of one round is at most 1, for every K",
        bound=r"a constant times $\sqrt{\ln K}$, here $\frac1{40}$",
        counterexample=r"$T = 1$ and $\varepsilon = \sqrt{\ln K}/10$ satisfy the condition; for "
        r"every constant $C$ and $\ln K > C^{-2}$ the claim exceeds the regret of any learner",
        proof_step=r"$\Delta_{\min} = \sqrt{\ln K/T} < \frac14$, which Theorem 12 needs, was "
        "dropped",
        repaired=r"the same for $T > 16 \ln K$ as well, with the constant $\frac1{40}$",
        tightness=r"at $T < \ln K$ every statement above T is false",
        evidence=PROOF,
        points=points(
            log_k,
            np.ones(13),
            at_least=np.sqrt(log_k) / 40,
            axes=("ln K", "largest possible regret at T = 1"),
            log="xy",
        ),
    )


@claim(
    "HU-S7-bound",
    where="Section 7",
    statement=r"on the doubling-gap instance with $\varepsilon \le \Delta_{\min}$ the upper bound "
    r"is of order $\ln K/\Delta_{\min} + \ln K \ln T/\varepsilon$",
    kind="rate",
)
def doubling_bound(tables) -> Verdict:
    arms = np.arange(4, 53, 4)
    share, true = [], []
    for k in arms:
        gaps = conjecture_gaps("doubling", int(k))
        epsilon, horizon = gaps[1], gaps[1] ** -2.0  # the shortest T that matters
        printed = np.log(k) / gaps[1] + np.log(k) * np.log(horizon) / epsilon
        true.append((k - 1) / epsilon / printed)
        share.append(theory.rnm_ftnl_bound(gaps, epsilon, horizon) / 256 / printed)
    return Verdict.refuted(
        method="exact",
        scope=f"Theorem 9's first form, K = {arms[0]} to {arms[-1]}, largest gap 1/2, eps = "
        "Delta_min, T = Delta_min^-2",
        measured=f"the bound (without its 256) falls from {share[0]:.3g} to {share[-1]:.3g} of the "
        "printed order, like 1/ln K",
        bound="a constant share (here: half of the first)",
        counterexample=r"every bracket holds one action, so the sum is $(K-1)/\varepsilon$, and "
        r"$K - 1 \le 1 + \log(1/\Delta_{\min})$: smaller than $\ln K \ln T/\varepsilon$ by $\ln K$",
        proof_step=r"the cruder second form, with $|J_l| \le K$, is taken for the bound's order",
        repaired=r"the bound is of order $K/\varepsilon$ there",
        repaired_method="exact",
        tightness="equal: one term per bracket",
        evidence="src/dpbandits/stochastic/theory.py",
        points=points(
            arms,
            share,
            at_least=share[0] / 2,
            repaired=true,
            axes=("K", "Theorem 9's bound / 256 / printed order"),
            log="x",
        ),
    )


@claim(
    "HU-S7-witness",
    where="Section 7",
    statement="the doubling-gap instance has the largest discrepancy between the upper and the "
    "lower bound",
    kind="rate",
)
def witness(tables) -> Verdict:
    levels, copies = 10, np.array([1, 2, 4, 8, 16, 64, 256])
    gaps = 2.0 ** -np.arange(1, levels + 1)
    epsilon = gaps.min()
    found = [
        theory.rnm_ftnl_bound(np.repeat(gaps, n), epsilon, 1e12)
        / (256 * np.log(levels * n + 1) / epsilon)
        for n in copies
    ]
    return Verdict.refuted(
        method="exact",
        scope=f"{levels} doubling levels of gaps with 1 to {copies[-1]} actions each, eps = "
        "Delta_min, Theorem 9's first form over ln K/eps",
        measured=f"discrepancy {found[0]:.3g} with one action per level (the doubling-gap "
        f"instance), {found[-1]:.3g} with {copies[-1]}",
        bound=f"{found[0]:.3g}, that of the doubling-gap instance",
        counterexample=f"{levels} levels with {copies[-1]} actions each, K = "
        f"{levels * copies[-1] + 1}",
        proof_step="no proof is given",
        repaired="with L levels the discrepancy rises with the actions per level, from "
        r"$L/\ln(L+1)$ to L",
        repaired_method="exact",
        tightness="the sums are explicit",
        evidence="src/dpbandits/stochastic/theory.py",
        points=points(
            copies,
            found,
            at_most=found[0],
            repaired=levels,
            axes=("actions per level of gaps", "upper bound / lower bound, up to constants"),
            log="x",
        ),
    )
