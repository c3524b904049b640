"""Every module with compiled code names the plain way that it is tested against.

A plain reference is a function of tests/: the loop over rounds, the whole matrix, the defining
integral. A new module with `@jit` and without a line here fails.
"""

import ast

import pytest
from scratch import ROOT

SOURCES = ROOT / "src/dpbandits"
LOOPS, PARTS = "stochastic/reference.py", "stochastic/test_stochastic_parts.py"
PLAIN = {
    "core/noise.py": ("core/test_streams.py", "test_binomial_by_chi_square"),
    "core/philox.py": ("core/test_streams.py", "test_philox_known_answers"),
    "stochastic/anytime_lazy_ucb.py": (LOOPS, "lazy"),
    "stochastic/lazy_dp_ts.py": (LOOPS, "lazy"),
    "stochastic/thompson.py": (LOOPS, "thompson"),
    "stochastic/dp_se.py": (LOOPS, "dp_se"),
    "stochastic/ftl.py": (LOOPS, "full_information"),
    "stochastic/engine/noisy_leader.py": (LOOPS, "full_information"),
    "stochastic/engine/adap.py": (LOOPS, "adap"),
    "stochastic/engine/phases.py": (LOOPS, "phases"),
    "stochastic/engine/guarded.py": (LOOPS, "ucb"),
    "stochastic/engine/bernoulli_kl.py": (LOOPS, "kl_bound"),
    "stochastic/engine/play.py": (LOOPS, "regret_of"),
    "stochastic/engine/beta_tails.py": (PARTS, "test_tail_candidates"),
    "sparse/engine/descent.py": ("sparse/test_sparse_descent.py", "plainly"),
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
COMPILED = sorted(
    path.relative_to(SOURCES).as_posix()
    for path in SOURCES.rglob("*.py")
    if "\n@jit" in path.read_text()
)


@pytest.mark.parametrize("module", COMPILED)
def test_an_engine_names_its_plain_reference(module):
    assert module in PLAIN, f"{module} has compiled code: name its plain reference in this file"
    file, function = PLAIN[module]
    tree = ast.parse((ROOT / "tests" / file).read_text())
    assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


def test_no_reference_of_an_engine_that_is_gone():
    assert set(PLAIN) <= set(COMPILED)


def test_a_plain_reference_is_not_the_engine():
    """The loops of HU are written apart: they share one sampler, which has a test of its own."""
    tree = ast.parse((ROOT / "tests" / LOOPS).read_text())
    taken = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {m for m in taken if "stochastic" in m} <= {"dpbandits.stochastic.engine.beta_tails"}
