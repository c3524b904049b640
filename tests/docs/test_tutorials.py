"""The code of each tutorial runs, and gives the numbers in its comments."""

import re

import pytest
from scratch import ROOT


def run_page(name: str) -> dict:
    """The variables after all Python blocks of a page have run, in order."""
    text = (ROOT / f"docs/tutorial/{name}.md").read_text(encoding="utf-8")
    names = {"__name__": "tutorial"}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL), start=1):
        exec(compile(block, f"{name}.md, block {number}", "exec"), names)
    return names


def test_hu_printed_noise_is_refuted_and_twice_the_noise_is_not():
    """Audits with fixed seeds, at confidence 1 - 10^-6: flake rate below 10^-6 with other seeds."""
    page = run_page("hu")
    assert page["attack"].refuted
    assert page["attack"].verdict == "violation found: not (1, 0)-DP, with confidence 0.999999"
    assert page["attack"].epsilon > 1
    assert not page["defence"].refuted
    assert page["printed"] == pytest.approx(0.970, abs=5e-4)
    assert page["repaired"] == pytest.approx(0.472, abs=5e-4)


def test_fl_noise_is_seven_times_too_small_and_the_correction_is_private():
    page = run_page("fl")
    assert page["distance"] / page["assumed"] == pytest.approx(7.04, abs=5e-3)
    at_least = page["printed"].worst_neighbour["delta_at"]["1"]["delta_at_least"]
    assert at_least == pytest.approx(0.10, abs=5e-3)
    assert page["corrected"].delta_at[1.0] == 0
    assert page["corrected"].pure_epsilon == pytest.approx(0.65, abs=5e-3)
    step = page["niht_step"](
        page["X"], page["y"], page["np"].zeros(20), 3, 0.01, 0.1, page["np"].random.default_rng(0)
    )
    assert (step != 0).sum() == 3


def test_us_loss_is_half_of_epsilon_and_with_exact_calibration_all_of_it():
    page = run_page("us")
    assert 0.4 < page["printed"] < 0.65
    assert page["audit"]("printed") == pytest.approx(0.52, abs=5e-3)
    assert page["audit"]("exact") == pytest.approx(1.0)


def test_kl_theorem_fails_where_the_best_looking_arm_is_badly_covered():
    page = run_page("kl")
    assert page["promised"].epsilon == pytest.approx(1.015)
    assert page["delta"] > 0.99 > page["promised"].delta
    assert page["weak"] == pytest.approx(18.8, abs=0.05)
    assert page["strong"] == pytest.approx(0.36, abs=5e-3)
    assert page["strong"] < page["bound"] == pytest.approx(1.70, abs=5e-3)
