"""kl/counterexamples: the certified counterexample of each refuted statement."""

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.offline.bandit import counterexamples as bandit
from dpbandits.offline.engine import crossing
from dpbandits.offline.linear import counterexamples as linear
from dpbandits.offline.preference import counterexamples as preference

COUNTEREXAMPLES = {
    "KL-L1-partition": crossing.lemma1_partition_at_one_data_set,
    "KL-L1-events": crossing.single_actions,
    "KL-T1-approx": bandit.theorem1_approx,
    "KL-B12": bandit.rare_mass,
    "KL-C1": bandit.corollary1,
    "KL-R1": bandit.vanishing,
    "KL-DEF1": bandit.every_data_set,
    "KL-T2-pure-appendix": linear.theorem2_pure_appendix,
    "KL-T2-approx": linear.theorem2_approx,
    "KL-C2": linear.corollary2_approx,
    "KL-C22": linear.width_step,
    "KL-S3.2": crossing.bradley_terry,
    "KL-T3-pure": preference.theorem3_pure,
    "KL-T3-pure unit-differences": preference.theorem3_unit_differences,
    "KL-T3-approx": preference.theorem3_approx,
    "KL-T4-pure": preference.theorem4_pure,
    "KL-T4-approx": preference.theorem4_approx,
    "KL-C3": preference.corollary3_pure,
    "KL-C3 approximate-part": preference.corollary3_approx,
    "KL-D33": preference.width_step,
    "KL-S4.4-composition k-constant": crossing.composition_with_k,
    "KL-S4.4-inexact": crossing.inexact,
}


class Nothing(Model):
    """This study has no parameters."""


@study("kl/counterexamples", params=Nothing)
def counterexamples_table(params: Nothing) -> pd.DataFrame:
    """The certified counterexample of each violated claim: what is measured and what is allowed."""
    return pd.DataFrame([_counterexample(claim, make()) for claim, make in COUNTEREXAMPLES.items()])


def _counterexample(claim, crossing) -> dict:
    return {
        "claim": claim,
        "quantity": crossing.quantity,
        "epsilon": np.nan if crossing.epsilon is None else float(crossing.epsilon.mid()),
        "measured": float(crossing.measured.mid()),
        "allowed": float(crossing.allowed.mid()),
        "certified": crossing.proved,
        "data_set": crossing.words,
        "proof_step": crossing.broken,
    }
