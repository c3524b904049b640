"""The data sets at which printed bounds fail, in exact numbers, one file per chapter."""

from dpbandits.reproduction.kl.counterexamples import bandit, general, linear, rlhf

COUNTEREXAMPLES = {  # by row of the ledger, as its certificate is named
    "KL-L1-partition": general.lemma1_partition,
    "KL-L1-events": general.single_actions,
    "KL-T1-approx": bandit.theorem1_approx,
    "KL-C1": bandit.corollary1,
    "KL-R1": bandit.vanishing,
    "KL-T2-pure-appendix": linear.theorem2_pure_appendix,
    "KL-T2-approx": linear.theorem2_approx,
    "KL-C2": linear.corollary2_approx,
    "KL-T3-pure": rlhf.theorem3_pure,
    "KL-T3-pure.unit-differences": rlhf.theorem3_unit_differences,
    "KL-T3-approx": rlhf.theorem3_approx,
    "KL-T4-pure": rlhf.theorem4_pure,
    "KL-T4-approx": rlhf.theorem4_approx,
    "KL-C3": rlhf.corollary3_pure,
    "KL-C3.approximate-part": rlhf.corollary3_approx,
    "KL-S4.4-composition.k-constant": general.composition_with_k,
    "KL-S4.4-inexact": general.inexact,
}
