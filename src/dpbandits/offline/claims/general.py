"""KL's claims on differential privacy in general: Proposition 1, Lemma 1, Section 4.4.

Bounds are read per data set D, over D's worst neighbour, both directions. `violated` rests on
certified counterexamples, `holds` on docs/proofs/KL.md or on Coq, with the tightness and attack
tables as checks that could have refuted it.
"""

import math

from dpbandits.audit.balls import delta_at, policy
from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.offline.engine.crossing import (
    composition_with_k,
    inexact,
    lemma1_partition_at_one_data_set,
    single_actions,
)
from dpbandits.offline.engine.verdicts import (
    ADD_REMOVE,
    ATTACKS,
    PAGE,
    TESTS,
    attacked,
    proved,
    refuted,
)
from dpbandits.offline.studies.repeated_sampling import epsilon_of_draws

COQ, COQ_LEMMA = "proofs/General.v", "proofs/KL_Lemma1.v"


@claim(
    "KL-P1a",
    where="Proposition 1, first half",
    statement=r"$(\varepsilon,\delta)$ add-remove DP implies $(2\varepsilon, "
    r"(1+e^\varepsilon)\delta)$ swap DP",
    neighbours="add or remove; swap",
    reads=("tightness",),
)
def add_remove_gives_swap(tables) -> Verdict:
    bound = r"$2\varepsilon$; $(1+e^\varepsilon)\delta$"
    return proved(tables, "KL-P1a", "P1", bound, "formal", evidence=(COQ,))


@claim(
    "KL-P1b",
    where="Proposition 1, second half",
    statement=r"$(\varepsilon,\delta)$ swap DP implies $(\varepsilon, e^\varepsilon\delta)$ "
    "add-remove DP",
    neighbours="swap; add or remove",
)
def swap_gives_add_remove(tables) -> Verdict:
    size = len  # the mechanism: publish the number of records
    swapped, smaller = [["a", "b"], ["a", "c"]], ["a"]
    changes = [size(swapped[0]) != size(swapped[1]), size(swapped[0]) != size(smaller)]
    return Verdict.refuted(
        method="formal",
        scope=r"a deterministic mechanism; every $\varepsilon$ and $\delta < 1$ of the conclusion "
        "fails",
        measured="pure loss inf; delta 1 at every eps, for one record removed",
        bound="pure loss 0 and delta 0, as the mechanism is (0, 0) swap DP",
        slack="infinite",
        evidence=(COQ, PAGE, TESTS),
        counterexample="publish the number of records: no swap changes it, a removal does",
        points=points(
            ["one record swapped", "one record removed"],
            [float(change) for change in changes],
            at_most=0,
            axes=("", "exact δ, at every ε"),
        ),
        proof_step="no proof is printed; data sets of different sizes are never linked by swaps",
        repaired=r"if records may be void and the mechanism ignores void ones, $(\varepsilon,"
        r"\delta)$ swap DP over such records implies $(\varepsilon,\delta)$ add-remove DP",
        tightness="an identity: a removal is a swap for a void record",
    )


@claim(
    "KL-L1-pure",
    where="Lemma 1",
    statement=r"$\pi_0(a)e^{r(a;D)/\eta}$, normalised, is $2\Delta r/\eta$ DP, $\Delta r$ the "
    "sensitivity",
    neighbours=ADD_REMOVE,
    reads=("tightness",),
)
def regularised_policy_is_private(tables) -> Verdict:
    bound = r"$2\Delta r/\eta$"
    return proved(tables, "KL-L1-pure", "L1", bound, "formal", evidence=(COQ_LEMMA,))


PARTITION = (
    r"if the changes of $r/\eta$ on $I$ lie within a range $\omega$, and the rest has mass $p$ at "
    r"$D$ and $p'$ at $D'$, the pair is $(\omega, \max(p,p'))$-close; $\omega \le 2\Delta/\eta$"
)


@claim(
    "KL-L1-partition",
    where="Lemma 1",
    statement=r"if on $I$ the sensitivity at $D$ is at most $\Delta$ and the rest has probability "
    r"at most $\delta_0$ at $D$, the policy is $(2\Delta/\eta, \delta_0 e^{2\Delta/\eta})$ DP",
    neighbours=ADD_REMOVE,
    reads=("attacks",),
)
def partitioned_lemma(tables) -> list[Verdict]:
    near = attacked(tables, "L1 partition")
    printed = refuted(
        lemma1_partition_at_one_data_set(),
        PARTITION,
        "formal",
        tightness=near,
        evidence=(COQ_LEMMA, ATTACKS),
    )
    everywhere = Verdict.proved(
        reading="all-data-sets",
        statement=r"the same, with $\delta_0$ bounding the rest at $D$ and at its neighbour",
        method="formal",
        scope=f"all pairs of finite policies: {COQ_LEMMA}, and {PAGE}, L1, which drops the factor "
        r"$e^{2\Delta/\eta}$",
        measured=near,
        bound=r"$\delta_0 e^{2\Delta/\eta}$",
        evidence=(COQ_LEMMA, PAGE, ATTACKS, TESTS),
        points=_both_hypotheses(),
    )
    return [printed, everywhere]


def _both_hypotheses():
    """delta at eps = 0 of score pairs (-10, 0), (h, 0) against the larger mass of the rest."""
    heights = (-10, -6, -2, 2, 6, 10)
    pairs = [(policy([-10, 0], 1), policy([h, 0], 1)) for h in heights]
    return points(
        heights,
        [float(delta_at(p, q, 0).mid()) for p, q in pairs],
        at_most=[max(float(p[0].mid()), float(q[0].mid())) for p, q in pairs],
        panel="hypothesis at both data sets",
        axes=("score of action 0 at the neighbour (-10 at D)", "exact δ at ε = 0"),
    )


@claim(
    "KL-L1-events",
    where="Appendix A, end of the proof of Lemma 1",
    statement=r"$\pi(a;D) \le e^\varepsilon\pi(a;D') + \delta$ for every single action $a$ gives "
    r"$(\varepsilon,\delta)$ DP",
    neighbours="any",
    reads=("attacks",),
)
def events_not_actions(tables) -> Verdict:
    repaired = r"the conclusion survives: for events $\pi(S;D) \le e^\omega\pi(S;D') + \max(p,p')$"
    return refuted(single_actions(), repaired, tightness=attacked(tables, "L1 partition"))


@claim(
    "KL-S4.4-composition",
    where="Section 4.4, repeated sampling",
    statement=r"$T$ draws are $T\varepsilon_0$ DP, and $(\sqrt{2T\ln(1/\delta')}\varepsilon + "
    r"T\varepsilon(e^\varepsilon-1), k\delta+\delta')$ DP, $k$ the number of draws as in the "
    r"source",
    neighbours="any",
    reads=("repeated_sampling", "attacks"),
)
def composition(tables) -> list[Verdict]:
    rows = tables("repeated_sampling")
    bound = rows[["basic", "advanced"]].min(axis=1)
    share = rows["exact"] / bound
    require_proof(float(share.max()) <= 1 + 1e-9, "the composition theorems bound the exact eps")
    printed = Verdict.proved(
        scope=f"the composition theorems that are cited, for independent draws; {PAGE}, S4.4, "
        "proves one with half the leading term",
        measured=f"exact eps of T draws at most {share.max():.3g} of the smaller bound",
        bound="the smaller of basic and advanced composition",
        evidence=(PAGE, "figures/kl/repeated_sampling.csv", TESTS),
        points=points(
            rows["T"],
            rows["exact"],
            at_most=bound,
            panel="ε of T draws against the smaller bound",
            axes=("draws T", "exact ε"),
            log="xy",
        ),
    )
    constant = refuted(
        composition_with_k(),
        r"$\left(\frac{T\omega^2}{8} + \omega\sqrt{\frac T2\ln\frac1{\delta'}},\ \delta'\right)$, "
        r"$\omega$ the range of the change of log-odds; with $(\varepsilon,\delta)$ steps "
        r"$T\delta$ in place of $k\delta$",
        reading="k-constant",
        statement=r"the same, $k$ the constant of Corollary 1, the only $k$ of the paper",
        tightness=f"exact/bound {_nearest_draws():.3f} at T=400, delta'=1e-30, logits 0.248 and "
        f"0.689 (1 in the limit); the search, T to 32: {attacked(tables, 'T draws')}",
    )
    return [printed, constant]


def _nearest_draws() -> float:
    """The exact eps of 400 draws over the repaired bound."""
    from dpbandits.offline import repaired

    p, q = (1 / (1 + math.exp(-logit)) for logit in (0.248, 0.689))
    exact = epsilon_of_draws(p, q, 400, 1e-30)
    return exact / float(repaired.draws(0.689 - 0.248, 400, 1e-30).epsilon)


@claim(
    "KL-S4.4-inexact",
    where="Section 4.4, inexact policies",
    statement=r"a policy within $\hat\varepsilon$ of an $(\varepsilon,\delta)$ DP one in both max "
    r"divergences is $(\varepsilon+2\hat\varepsilon,\delta)$ DP",
    neighbours="any",
    reads=("attacks",),
)
def inexact_policies(tables) -> Verdict:
    repaired = (
        r"$(\varepsilon+2\hat\varepsilon, \min\{e^{\hat\varepsilon}\delta, "
        r"1-e^{-\hat\varepsilon}(1-\delta)\})$; the pure case is as printed"
    )
    return refuted(
        inexact(),
        repaired,
        "formal",
        tightness=attacked(tables, "inexact"),
        evidence=(COQ, ATTACKS),
    )
