"""Every engine names the plain way that it is tested against.

A plain reference is a function of tests/: the loop over rounds, the whole matrix, the defining
integral. A new module with `@jit`, or in a folder engine/, fails without a line here.
"""

import ast

import pytest
from scratch import ROOT

SOURCES = ROOT / "src/dpbandits"
LOOPS, PARTS = "stochastic/reference.py", "stochastic/test_stochastic_parts.py"
GENERATOR = "test_borrowed_draws_are_those_of_the_generator"
PLAIN = {
    "core/generators.py": ("core/test_generators.py", GENERATOR),
    "core/source.py": ("core/test_generators.py", GENERATOR),
    "core/noise.py": ("core/test_streams.py", "test_binomial_by_chi_square"),
    "core/philox.py": ("core/test_streams.py", "test_philox_known_answers"),
    "core/palette.py": ("core/test_palette.py", "test_they_are_pillows"),
    "stochastic/anytime_lazy_ucb.py": (LOOPS, "lazy"),
    "stochastic/lazy_dp_ts.py": (LOOPS, "lazy"),
    "stochastic/thompson.py": (LOOPS, "thompson"),
    "stochastic/dp_se.py": (LOOPS, "dp_se"),
    "stochastic/ftl.py": (LOOPS, "full_information"),
    "stochastic/engine/noisy_leader.py": (LOOPS, "full_information"),
    "stochastic/engine/kept_binomials.py": (
        PARTS,
        "test_kept_binomials_are_those_of_the_plain_sampler",
    ),
    "stochastic/engine/adap.py": (LOOPS, "adap"),
    "stochastic/engine/phases.py": (LOOPS, "phases"),
    "stochastic/engine/guarded.py": (LOOPS, "ucb"),
    "stochastic/engine/bernoulli_kl.py": (LOOPS, "kl_bound"),
    "stochastic/engine/play.py": (LOOPS, "regret_of"),
    "stochastic/engine/leap.py": (LOOPS, "lazy"),
    "stochastic/engine/win_chances.py": ("stochastic/test_hu_leaps.py", "by_sinc"),
    "stochastic/engine/beta_tails.py": (PARTS, "test_tail_candidates"),
    "sparse/engine/descent.py": ("sparse/by_hand.py", "plain_descent"),
    "sparse/engine/known.py": ("sparse/by_hand.py", "plain_descent"),
    "sparse/engine/contexts.py": ("sparse/test_sparse_reference.py", "reference"),
    "sparse/engine/selection.py": (
        "sparse/test_sparse_selection.py",
        "test_winners_have_the_law_of_whole_noise_vectors",
    ),
    "sparse/engine/clipped.py": (
        "sparse/test_sparse_clipped.py",
        "test_clipped_sums_have_the_law_of_whole_rows",
    ),
    "sparse/engine/clipped_scores.py": (
        "sparse/test_sparse_clipped.py",
        "test_chosen_rows_have_the_law_of_drawing_all_rows",
    ),
    "sparse/engine/autoregressive.py": (
        "sparse/test_sparse_lazy.py",
        "test_autoregressive_factor",
    ),
    "sparse/engine/dense.py": ("sparse/test_sparse_lazy.py", "test_autoregressive_factor"),
}
DENSE, GRIDS = "kernel/kernel_dense.py", "kernel/test_kernel_fine_grids.py"
ESTIMATOR, KERNEL_PRIVACY = "kernel/test_kernel_estimator.py", "kernel/test_kernel_privacy.py"
LAZY, AUDIT_PARTS = "audit/test_audit_lazy.py", "audit/test_audit_parts.py"
FL_CLAIMS, LINEAR = "sparse/test_sparse_claims.py", "offline/test_linear_loss.py"
PLAIN |= {  # interpreted
    "kernel/engine/cells.py": (ESTIMATOR, "test_cells_and_features_are_the_same_operator"),
    "kernel/engine/direct.py": (DENSE, "merged_operator"),
    "kernel/engine/estimator.py": (DENSE, "dense_estimate"),
    "kernel/engine/features.py": (ESTIMATOR, "test_cells_and_features_are_the_same_operator"),
    "kernel/engine/information.py": (ESTIMATOR, "plain_greedy"),
    "kernel/engine/near.py": (ESTIMATOR, "test_many_runs_at_once_are_those_of_the_dense_formula"),
    "kernel/engine/privacy.py": (KERNEL_PRIVACY, "test_the_loss_by_hand"),
    "kernel/engine/refined.py": (GRIDS, "test_fine_grids_equal_the_dense_formula"),
    "kernel/engine/sequential.py": (DENSE, "dense_posterior"),
    "kernel/engine/toeplitz.py": (GRIDS, "test_products_with_the_kernel_are_exact"),
    "sparse/engine/accountant.py": (FL_CLAIMS, "brute_force_delta"),
    "sparse/engine/attacks.py": ("sparse/test_sparse_proofs.py", "worst_excess"),
    "sparse/engine/certificates.py": (
        FL_CLAIMS,
        "test_certified_probabilities_are_those_of_the_algorithm",
    ),
    "sparse/engine/iht.py": (
        "sparse/test_sparse_engines.py",
        "test_peeling_follows_algorithm_3_line_by_line",
    ),
    "sparse/engine/lazy.py": (
        "sparse/test_sparse_lazy.py",
        "test_joint_law_of_several_products_matches_dense_draws",
    ),
    "sparse/engine/zcdp.py": ("sparse/test_sparse_zcdp.py", "plain_zcdp"),
    "stochastic/engine/short_horizon.py": (
        "stochastic/test_stochastic_theory.py",
        "test_short_horizon_agrees_with_the_simulated_algorithm",
    ),
    "audit/engine/lazy_ts.py": (LAZY, "test_interval_engine_against_rigorous_quadrature"),
    "audit/engine/lazy_ucb.py": (LAZY, "played"),
    "audit/engine/outcomes.py": (
        AUDIT_PARTS,
        "test_codes_tell_apart_what_differs_and_say_what_they_mean",
    ),
    "audit/engine/peeling_two.py": ("audit/test_audit_peeling.py", "brute_force_two"),
    "audit/engine/piecewise.py": (LAZY, "played"),
    "audit/engine/rnm_search.py": ("audit/test_audit_rnm.py", "neighbours"),
    "audit/engine/transcripts.py": (LAZY, "played"),
    "audit/engine/zoo_lazy.py": (
        "audit/test_audit_blackbox.py",
        "test_lazy_zoo_simulation_follows_its_exact_law",
    ),
    "offline/engine/certificates.py": (
        LINEAR,
        "test_delta_of_a_spread_is_above_all_policies_with_it",
    ),
    "offline/engine/quadratic_ratio.py": (
        LINEAR,
        "test_the_maximum_of_a_ratio_of_quadratics_is_that_of_a_dense_grid",
    ),
    "offline/engine/search.py": (
        LINEAR,
        "test_no_addition_of_a_dense_sample_beats_the_search_or_its_certificate",
    ),
}
NO_ENGINE = {  # in such a folder: why there is nothing to compare
    "kernel/engine/certificates.py": "refutations; certificates/check.py and tests/proofs",
    "kernel/engine/counterexamples.py": "refutations; certificates/check.py and tests/proofs",
    "kernel/engine/runs.py": "a loop over seeds",
    "sparse/engine/presets.py": "printed constants",
    "offline/engine/attack.py": "searches: whatever they find is a real instance",
    "offline/engine/crossing.py": "refutations; certificates/check.py and tests/proofs",
    "offline/engine/families.py": "data sets, and the losses that others compute",
    "offline/engine/families_rlhf.py": "data sets, and the losses that others compute",
    "offline/engine/general_attacks.py": "searches: whatever they find is a real instance",
    "offline/engine/sampling.py": "two lines",
    "offline/engine/verdicts.py": "words",
    "offline/engine/worst.py": "keeps maxima",
}
ENGINES = sorted(
    path.relative_to(SOURCES).as_posix()
    for path in SOURCES.rglob("*.py")
    if "\n@jit" in path.read_text() or (path.parent.name == "engine" and path.name != "__init__.py")
)


@pytest.mark.parametrize("module", sorted(set(ENGINES) - set(NO_ENGINE)))
def test_an_engine_names_its_plain_reference(module):
    assert module in PLAIN, f"{module} is an engine: name its plain reference in this file"
    file, function = PLAIN[module]
    tree = ast.parse((ROOT / "tests" / file).read_text())
    assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


def test_no_reference_of_an_engine_that_is_gone():
    assert set(PLAIN) | set(NO_ENGINE) <= set(ENGINES)
    assert not PLAIN.keys() & NO_ENGINE.keys()


def test_a_plain_reference_is_not_the_engine():
    """The loops of HU are written apart: they share one sampler, which has a test of its own."""
    tree = ast.parse((ROOT / "tests" / LOOPS).read_text())
    taken = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {m for m in taken if "stochastic" in m} <= {"dpbandits.stochastic.engine.beta_tails"}
