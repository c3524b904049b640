"""What US's bounds cannot be: a rare context, and worst cases under uniform queries."""

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.core.statistics import fit_power
from dpbandits.kernel.claims.certificates import numbers
from dpbandits.kernel.claims.evidence import (
    ATTACK,
    CERTIFIED,
    LEVEL,
    PROOF,
    shown_beyond,
    violated,
)  # fmt: skip
from dpbandits.kernel.theory import Effective


def rare_context(name: str, rows, what: str, true, **fields) -> Verdict:
    """A context of probability F^-2, seen some M times: the bound has its F in the denominator.

    `true` is the repaired bound, as a function (theory.py).
    """
    found = numbers(name)
    ratio = rows["mean"] / rows["bound"]
    return violated(
        found,
        scope=r"$k(c,c')=cc'$, $c=1$ with probability $F^{-2}$ and 0 else, $f=\frac B2c$, no "
        r"noise, $|\mathcal U_T|=T$; balls, two tail bounds. All printed forms of $\bar N_1$ and "
        r"$T\ge16\gamma_T\ln(4/\delta)/\tau$ are met, and so is what $\bar N$ is for: "
        r"$\|Z^{-1/2}\hat ZZ^{-1/2}-\mathrm{Id}\|\le\frac19$ with probability $1-\delta/4$",
        measured=rf"{what} above {found['right']:.3g} with probability at least 0.99. On the "
        f"sampled kernels, where $F$ is small, its mean is at most {ratio.max():.2g} of the bound",
        bound=rf"{found['right']:.3g} with probability 0.9, where {found['left']:.3g} is needed",
        counterexample=r"$F=10^8$, $T=10^{20}$, $B=10^{16}$, $\tau=10^{-12}$, $\delta=0.1$",
        proof_step=r"(15): with (13)'s $V_0\le\frac{81BF^2\gamma_T}{13T}$ the coefficient of "
        r"$\sqrt{2BV_0}$ is $\sqrt{162B^2F^2/13}$; printed is $\sqrt{162B^3/13F^2}$",
        points=shown_beyond(
            [r"$F=10^8$"],
            [found["left"]],
            found["right"],
            ("", "what the bound has to be"),
            repaired=_at_the_rare_context(true),
            log="y",
        ),
        **fields,
    )


def _at_the_rare_context(true) -> float:
    """F = 10^8, T = 10^20, B = 10^16, tau = 10^-12, delta = 1/10, K = 10^18."""
    visits, tau = 1e4, 1e-12
    share = visits / (visits + tau)
    known = Effective(1 / (visits + tau), share, share, 10**20, tau)
    return true(known, 10**18, 0.1, points=10**20, norm=5e15, noise=0.0)


def order_of_estimate(rows, evidence: tuple, repaired: dict) -> Verdict:
    ratio = rows["mean"] / np.sqrt(rows["gamma"] / rows["t"])
    return violated(
        numbers("US-L4.3.order"),
        reading="order",
        statement=r"$\sup|\bar\mu-f|=O(\sqrt{\gamma_T/T})$, the form of the main text",
        method="proof",
        scope=r"circle, $\lambda_j\propto j^{-4}$, worst case over $\|f\|\le1$: an argmax of "
        r"$\bar\mu$ errs by at most twice the supremum, and by US-T4.1 (`order`) it errs by more",
        measured=r"some $f$: at least a constant times $(\ln T)^{3/8}\sqrt{\gamma_T/T}$ with "
        rf"probability 1/2. Sampled: error / $\sqrt{{\gamma_T/T}}$ between {ratio.min():.2f} and "
        rf"{ratio.max():.2f} on one $f$ each, $T$ = {rows['t'].min()} to {rows['t'].max()}; "
        f"{_growth_seen(rows)}",
        bound=r"bounded in $T$",
        evidence=(*evidence, CERTIFIED),
        counterexample=r"$2^{10^{19}}$ bumps, $\ln T=2.8\cdot10^{19}$, for constants up to $10^6$",
        proof_step=r"Lemma 6.3's own coefficients grow like $\ln(|\mathcal U_T|/\delta)$: the main "
        "text drops them",
        points=_bumps(),
        **repaired,
    )


def _growth_seen(rows) -> str:
    """The largest power of T, above sqrt(gamma/T), that the runs leave room for."""
    from scipy.stats import norm

    powers = []
    for _, own in rows.groupby("setting"):
        scale = np.sqrt(own["gamma"] / own["t"])
        error = (own["high"] - own["low"]) / 4 / scale
        slope, sem = fit_power(own["t"], own["mean"] / scale, error)
        powers.append(slope + norm.isf(LEVEL) * sem)
    return f"1 - {LEVEL:g}: growth like a power of $T$ above {max(powers):.2f} would have shown"


def order_of_error(repaired: dict) -> Verdict:
    return violated(
        numbers("US-T4.1.order"),
        reading="order",
        statement=r"Theorem 4.1's form, Section 1.2's 'worst case error rate': the error rate is "
        r"$O(\sqrt{\gamma_T/T}+\frac{\gamma_T}{T\varepsilon})$ for $\|f\|\le1$",
        method="proof",
        scope=r"circle, $\lambda_j\propto j^{-4}$ ($F^2=2$, $L_f$ fixed), one context, rewards "
        r"$\pm1$, $\tau=1$, every $\varepsilon\ge1$: Fano's inequality among bumps, for every rule "
        "that queries uniformly, private or not",
        measured=r"for every $T$ some $f$: at least a constant times "
        r"$(\ln T)^{3/8}(\sqrt{\gamma_T/T}+\frac{\gamma_T}{T\varepsilon})$ with probability 1/2",
        bound=r"bounded in $T$",
        evidence=(PROOF, ATTACK, CERTIFIED),
        counterexample=r"$2^{10^{19}}$ bumps, $\ln T=2.8\cdot10^{19}$, for constants up to $10^6$",
        proof_step="Theorem 8.2's logarithms are left out; one of them is needed",
        points=_bumps(),
        **repaired,
    )


def _bumps():
    return shown_beyond(
        ["$10^3$", "$10^9$", r"$10^{19}$"],
        [(10.0**k / 20) ** 0.375 for k in (3, 9, 19)],
        2e6,
        (r"$\log_2$ of the bumps", r"error of the output / $\sqrt{\gamma_T/T}$, at least"),
        log="y",
    )


@claim(
    "US-S2.2",
    where="Section 2.2, after Definition 2.5",
    statement="privacy of the output with respect to the current context, too, leaves an error of "
    "constant order",
    kind="lower bound",
)
def private_in_its_own_context(tables) -> Verdict:
    losses = (0.1, 0.5, 1.0, 2.0, 5.0)
    return Verdict.proved(
        scope=r"two contexts whose actions of error below $\Delta$ are disjoint",
        measured=r"mean error at one of them at least $\Delta/(1+e^\varepsilon)$, for every $T$",
        bound="does not fall with $T$",
        evidence=(PROOF, ATTACK),
        points=points(
            losses,
            [1 / (1 + np.exp(e)) for e in losses],
            at_least=[0.0] * len(losses),
            axes=(r"$\varepsilon$", r"mean error / $\Delta$, at least"),
        ),
    )
