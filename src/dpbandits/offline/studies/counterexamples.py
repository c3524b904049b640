"""kl/counterexamples: the certified counterexample of each refuted statement."""

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model


class Nothing(Model):
    """This study has no parameters."""


@study("kl/counterexamples", params=Nothing)
def counterexamples_table(params: Nothing) -> pd.DataFrame:
    """The certified counterexample of each violated claim: what is measured and what is allowed."""
    from dpbandits.offline.claims import counterexamples

    found = {
        "KL-L1-partition": counterexamples.lemma1_partition_at_one_data_set,
        "KL-T1-approx": counterexamples.theorem1_approx,
        "KL-C1": counterexamples.corollary1,
        "KL-T2-pure-appendix": counterexamples.theorem2_pure_appendix,
        "KL-T2-approx": counterexamples.theorem2_approx,
        "KL-C2": counterexamples.corollary2_approx,
        "KL-T3-pure": counterexamples.theorem3_pure,
        "KL-T3-approx": counterexamples.theorem3_approx,
        "KL-T4-pure": counterexamples.theorem4_pure,
        "KL-T4-approx": counterexamples.theorem4_approx,
        "KL-C3": counterexamples.corollary3_pure,
        "KL-C3-approx": counterexamples.corollary3_approx,
        "KL-S4.4-composition": counterexamples.composition_with_k,
        "KL-S4.4-inexact": counterexamples.inexact,
    }
    return pd.DataFrame([_counterexample(claim, make()) for claim, make in found.items()])


PURE = ("KL-T2-pure-appendix", "KL-T3-pure", "KL-T4-pure", "KL-C3")


def _counterexample(claim, crossing) -> dict:
    return {
        "claim": claim,
        "quantity": "pure loss" if claim in PURE else "delta",
        "epsilon": np.nan if crossing.epsilon is None else float(crossing.epsilon.mid()),
        "measured": float(crossing.measured.mid()),
        "allowed": float(crossing.allowed.mid()),
        "certified": crossing.proved,
        "data_set": crossing.words,
    }
