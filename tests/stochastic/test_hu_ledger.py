"""HU's ledger: every row's rules, driven both ways; the failing steps at their counterexamples."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.claims import claims, get_claim
from dpbandits.core.files import read_table

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden/hu"
IDS = {
    *("HU-T2", "HU-T3", "HU-T4", "HU-T5", "HU-L6", "HU-L19", "HU-L20", "HU-L21", "HU-L22"),
    *("HU-L23", "HU-L24", "HU-T8", "HU-T9", "HU-C10a", "HU-C10b", "HU-C11", "HU-T12", "HU-S4.1"),
    *("HU-S6", "HU-S7", "HU-S7-bound", "HU-S7-witness", "HU-S5-FTNL"),
    *("HU-S5-minimax", "HU-S5-price", "HU-ABS"),
    *("HU-L7", "HU-D3-56", "HU-S1-FTL", "HU-F17", "HU-S2.2"),
}


@cache
def golden(name):
    return read_table(GOLDEN / f"{name}.csv")


@cache
def verdicts(id):
    """From the smoke tables."""
    return {verdict.reading: verdict for verdict in get_claim(id).verdicts(golden)}


def test_every_claim_has_its_check():
    assert {id for id in claims() if id.startswith("HU-")} == IDS


def altered(name, **changes):
    """The smoke tables, one of them changed: column -> function of its rows."""

    def tables(wanted):
        table = golden(wanted)
        if wanted != name:
            return table
        return table.assign(**{column: change(table) for column, change in changes.items()})

    return tables


def many(table):
    return table["mean"] * 1e6


@pytest.mark.parametrize(("id", "table"), [("HU-S7", "conjecture"), ("HU-S5-price", "constants")])
def test_runs_beyond_the_optimal_rate_are_not_passed_over(id, table):
    found = get_claim(id).verdicts(altered(table, mean=many, sem=lambda t: 1e-9))
    assert found[0].verdict == "untestable"


def test_readings_of_figures_go_both_ways():
    """What is true instead stands only where a reading fails."""

    def every(wanted):
        return golden(wanted).assign(mean=100.0, sem=1e-9)

    for verdict in get_claim("HU-S6").verdicts(every):
        assert (verdict.verdict, verdict.repaired, verdict.severity) == ("consistent", "", "")

    def ordered(wanted):
        table = golden(wanted)
        rank = {"lazy-dp-ts": 9.0, "dp-se": 1.0, "adap-ucb": 3.0}
        return table.assign(mean=table["algorithm"].map(rank).fillna(2.0), sem=1e-9)

    for verdict in get_claim("HU-S6").verdicts(ordered):
        assert (verdict.verdict, verdict.severity) == ("rejected", "experiment")
        assert verdict.repaired


def test_a_rival_in_the_tables_changes_no_verdict():
    def with_rival(wanted):
        table = golden(wanted)
        if "algorithm" not in table:
            return table
        rival = table[table["algorithm"] == table["algorithm"].iloc[0]]
        return pd.concat([table, rival.assign(algorithm="rival", mean=1e9)])

    for id in ("HU-T9", "HU-C11", "HU-T12", "HU-S5-price", "HU-S6", "HU-S4.1", "HU-T3"):
        with_it = [v.verdict for v in get_claim(id).verdicts(with_rival)]
        assert with_it == [v.verdict for v in verdicts(id).values()]


# The failing steps, each at its own counterexample; the steps before it hold there


def test_step_46_by_simulation():
    """400,000 plain runs of the first four rounds: above the certificate's lower bound, which is
    above 5^-3, and below the union's; the seed is fixed."""
    rng, runs, epsilon = np.random.default_rng(46), 400_000, 1.0
    noise = rng.laplace(0, 1 / epsilon, (runs, 2))
    wins = np.ones(runs, bool)
    for t in (3, 4):
        m = np.clip(noise + 3 * math.log(t) / epsilon, 0, 1)
        theta = rng.beta(m + 1, 2 - m)
        wins &= theta[:, 1] > theta[:, 0]
    stays = noise[~wins, 1]
    seen = (np.abs(stays) > 3 * math.log(5) / epsilon).mean()
    made = get_claim("HU-L23").certificates()["step (46)"]["enclosures"]
    assert 1 / 125 < float(made["left"][1]) < seen < (math.log2(5) + 1) / 125


# What two readers found wrong or unfair in the ledger, mended (verdicts: test_ledger_golden)


def test_minimax_remark_says_for_which_epsilon_it_holds():
    row = verdicts("HU-S5-minimax")["printed"]
    assert row.severity == "condition"
    for text in (row.scope, row.repaired):
        assert r"$\varepsilon \le 1$" in text
        assert r"1.4\cdot10^{-4}" in text


def test_potential_argument_is_credited():
    row, page = verdicts("HU-S7")["printed"], (ROOT / "docs/proofs/HU.md").read_text()
    for text in (row.scope, page):
        assert "Cesari and Colomboni" in text
        assert "potential argument" in text
    assert "2502.10997" in (ROOT / "docs/rivals.md").read_text()


def test_row_plot_and_certificate_show_one_instance():
    """Each side of a certificate's inequality stands in its row; its plot has the same point."""
    for id, given, shown in (
        ("HU-F17", {"n": "10"}, ("n = 10", "0.99902 > 0.02521")),
        ("HU-S7-witness", {"levels": "8", "copies": "256"}, ("8 levels with 256", "6.87 > 3.64")),
    ):
        (row,) = verdicts(id).values()
        made = get_claim(id).certificates()["printed"]
        assert made["given"] == given
        assert all(text in row.counterexample for text in shown)
        left, right = (float(made["enclosures"][side][0]) for side in ("left", "right"))
        drawn = row.points[0].iloc[-1]
        assert (drawn["measured"], drawn["at_most"]) == pytest.approx((left, right))


def test_every_failing_row_has_a_severity_and_inherited_errors_a_cause():
    found = {(id, v.reading): v for id in IDS for v in verdicts(id).values()}
    failing = {key for key, v in found.items() if v.verdict in ("violated", "rejected")}
    assert all(found[key].severity and found[key].supremum for key in failing)
    assert {key: v.cause for key, v in found.items() if v.cause} == {("HU-ABS", "printed"): "HU-T8"}
    severe = {key for key in failing if found[key].severity == "conclusion"}
    assert severe == {("HU-T8", "printed"), ("HU-ABS", "printed")}
