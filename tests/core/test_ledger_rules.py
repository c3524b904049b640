"""Every rule of the ledger, made to fail: a verdict that claims more than was shown is refused."""

import sys
from types import ModuleType

import pandas as pd
import pytest
from pydantic import ValidationError

from dpbandits.core import algorithms, ledger
from dpbandits.core.ledger import CLAIMS, COLUMNS, PRINTED, Claim, Verdict, certificate_path, row
from dpbandits.core.points import curves, joined, points

SOUND = {"verdict": "holds", "method": "exact", "scope": "all of it"}
FAILS = {"repaired": "what is true", "repaired_verdict": "open"}
SAMPLED = {"method": "statistical", "confidence": "1e-6", "scope": "1000 runs"}


def plot(measured, at_most):
    return (points([1], [measured], at_most=[at_most], axes=("x", "y")),)


INSIDE, BEYOND = plot(1.0, 2.0), plot(3.0, 2.0)
REFUSED = {
    "sampling cannot say holds": (SAMPLED | {"verdict": "holds"}, "sampling alone"),
    "nor violated": (
        SAMPLED | {"verdict": "violated", "counterexample": "x"},
        "sampling alone",
    ),
    "rejected without confidence": (
        SAMPLED | {"verdict": "rejected", "confidence": ""},
        "states its confidence",
    ),
    "consistent without confidence": (
        SAMPLED | {"verdict": "consistent", "confidence": ""},
        "states its confidence",
    ),
    "violated without counterexample": (SOUND | {"verdict": "violated"}, "counterexample"),
    "violated without what is true instead": (
        SOUND | {"verdict": "violated", "counterexample": "x"},
        "says what is true instead",
    ),
    "rejected without a verdict on its repair": (
        SAMPLED | {"verdict": "rejected", "repaired": "half of it"},
        "says what is true instead",
    ),
    "a verdict on a repair that is not told": (
        SOUND | {"verdict": "violated", "counterexample": "x", "repaired_verdict": "open"},
        "says what is true instead",
    ),
    "proof without a page": (SOUND | {"method": "proof"}, "a proof is written somewhere"),
    "proof on a page elsewhere": (
        SOUND | {"method": "proof", "evidence": "figures/hu/fig1.csv"},
        "a proof is written somewhere",
    ),
    "repaired proof without a page": (
        SOUND | {"repaired_verdict": "holds", "repaired_method": "proof"},
        "a proof is written somewhere",
    ),
    "repaired without method": (SOUND | {"repaired_verdict": "holds"}, "says by which method"),
    "repaired by sampling": (
        SOUND | {"repaired_verdict": "holds", "repaired_method": "statistical"},
        "says by which method",
    ),
    "holds, yet the plot is beyond": (SOUND | {"points": BEYOND}, "beyond the statement"),
    "consistent, yet the plot is beyond": (
        SAMPLED | {"verdict": "consistent", "points": BEYOND},
        "beyond the statement",
    ),
    "violated, yet the plot is inside": (
        SOUND | FAILS | {"verdict": "violated", "counterexample": "x", "points": INSIDE},
        "no point of its plot",
    ),
    "rejected, yet the plot is inside": (
        SAMPLED | FAILS | {"verdict": "rejected", "points": INSIDE},
        "no point of its plot",
    ),
    "an unknown verdict": (SOUND | {"verdict": "true"}, "Input should be"),
    "an unknown method": (SOUND | {"method": "guess"}, "Input should be"),
    "an unknown field": (SOUND | {"sure": True}, "Extra inputs"),
}
TAKEN = {
    "sampling that rejects": SAMPLED | FAILS | {"verdict": "rejected", "points": BEYOND},
    "sampling that finds nothing": SAMPLED | {"verdict": "consistent", "points": INSIDE},
    "sampling that says nothing": SAMPLED | {"verdict": "untestable", "confidence": ""},
    "a counterexample": SOUND
    | FAILS
    | {"verdict": "violated", "counterexample": "x", "points": BEYOND},
    "a certified one without a plot": SOUND
    | FAILS
    | {"verdict": "violated", "counterexample": "x", "method": "certified"},
    "a proof with its page": SOUND | {"method": "proof", "evidence": "docs/proofs/HU.md"},
    "a repair that was proved": SOUND
    | {"repaired_verdict": "holds", "repaired_method": "proof", "evidence": ("docs/proofs/FL.md",)},
    "a repair that is open": SOUND | {"repaired_verdict": "open"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_verdict_that_says_too_much_is_refused(case):
    fields, complaint = REFUSED[case]
    with pytest.raises(ValidationError, match=complaint):
        Verdict(**fields)


@pytest.mark.parametrize("case", TAKEN)
def test_a_sound_verdict_is_taken(case):
    assert Verdict(**TAKEN[case]).verdict == TAKEN[case]["verdict"]


def test_what_is_said_unless_the_fields_differ():
    page = {"scope": "all", "evidence": "docs/proofs/HU.md"}
    proved = Verdict.proved(**page)
    assert (proved.verdict, proved.method, proved.repaired_verdict) == ("holds", "proof", "")
    assert (proved.reading, proved.evidence) == (PRINTED, ("docs/proofs/HU.md",))
    assert Verdict.proved(**page, method="exact", verdict="untestable").verdict == "untestable"
    fails = page | {"method": "certified", "counterexample": "x", "repaired": "y"}
    refuted = Verdict.refuted(**fails)
    assert refuted.verdict == "violated"
    assert (refuted.repaired_verdict, refuted.repaired_method) == ("holds", "proof")
    assert Verdict.refuted(**fails, repaired_method="formal").repaired_method == "formal"
    assert len(Verdict(**SOUND, points=INSIDE[0]).points) == 1
    assert Verdict(**SOUND, points=(*INSIDE, *INSIDE)).points[1] is INSIDE[0]
    assert ledger.VERDICTS == ("holds", "violated", "rejected", "consistent", "untestable")


def test_a_claim_registers_with_its_kind(monkeypatch):
    monkeypatch.setattr(CLAIMS, "_entries", {})
    monkeypatch.setattr(CLAIMS, "_places", {})
    monkeypatch.setattr(CLAIMS, "all", lambda paper="": CLAIMS._entries)
    said = {"where": "Lemma 1", "statement": "s"}
    for id, keys in (
        ("HU-a", {}),
        ("FL-b", {"neighbours": "one row"}),
        ("FL-c", {"kind": "regret", "neighbours": "one row", "reads": ["t"], "runs": ["ucb1"]}),
    ):
        ledger.claim(id, **said, **keys)(lambda tables: Verdict(**SOUND))
    a, b, c = CLAIMS._entries.values()
    assert (a.kind, b.kind, c.kind) == ("inequality", "privacy", "regret")
    assert (a.reads, c.reads, c.runs, c.neighbours) == ((), ("t",), ("ucb1",), "one row")
    assert (c.id, c.where, c.statement, c.module) == ("FL-c", "Lemma 1", "s", __name__)
    assert list(ledger.claims()) == ["HU-a", "FL-b", "FL-c"]
    assert list(ledger.claims("fl")) == ["FL-b", "FL-c"]
    assert list(ledger.claims("us")) == []


def test_a_check_may_run_only_the_algorithms_that_it_names():
    def check(tables):
        assert (tables, algorithms._allowed.get()) == ("tables", {"dp-se"})
        return Verdict(**SOUND)

    said = ("HU-X", "Lemma 0", "said", "kind", "all", (), check, "tests")
    assert len(Claim(*said, ("dp-se",)).verdicts("tables")) == 1


def test_a_refuted_row_gets_the_certificate_of_its_name(monkeypatch):
    """From the module beside the check's, made there for the row's own name; not if it holds."""
    beside = ModuleType("room.certificates")
    beside.REFUTATIONS = {"HU-X": lambda: {"a": 1}, "HU-X.two-words": lambda: {"b": 2}}
    monkeypatch.setitem(sys.modules, "room.certificates", beside)
    here = {"room": ("room.checks", "room.certificates"), "bare": ("bare.checks",)}
    monkeypatch.setattr(ledger, "modules_in", lambda folder: here[folder])
    fails = FAILS | SOUND | {"verdict": "violated", "counterexample": "x"}

    def made(module, **fields):
        verdict = Verdict(**(fails | fields))

        def check(tables):
            return [Verdict(**SOUND), verdict] if "reading" in fields else verdict

        claim = Claim("HU-X", "Lemma 0", "said", "kind", "all", (), check, module)
        return claim.verdicts(None)[-1].certificate

    assert made("room.checks") == {"a": 1}
    assert made("room.checks", reading="two words") == {"b": 2}
    assert made("room.checks", reading="third") is None
    assert made("room.checks", certificate={"own": 0}) == {"own": 0}
    assert made("room.checks", verdict="holds", counterexample="") is None
    assert made("bare.checks") is None


def claim_with(*readings):
    def check(tables):
        return [Verdict(**SOUND, reading=reading) for reading in readings]

    return Claim("HU-X", "Lemma 0", "said", "kind", "all", (), check, "tests")


@pytest.mark.parametrize("readings", [(), ("repaired",), ("a", PRINTED), (PRINTED, "a", "a")])
def test_the_printed_reading_comes_first_and_none_twice(readings):
    with pytest.raises(ValueError, match="readings"):
        claim_with(*readings).verdicts(None)


def test_a_row_has_every_column_and_its_own_statement():
    claim = claim_with(PRINTED, "narrow")
    first, second = claim.verdicts(None)
    line = row(claim, first)
    assert tuple(line) == COLUMNS
    assert (line["id"], line["paper"], line["statement"]) == ("HU-X", "HU", "Lemma 0: said")
    assert line["certificate"] == ""
    assert (line["kind"], line["neighbours"], line["evidence"]) == ("kind", "all", "")
    proved = second.model_copy(
        update={"certificate": {"a": 1}, "statement": "less", "evidence": ("a", "b")}
    )
    assert row(claim, proved)["evidence"] == "a;b"
    line = row(claim, proved)
    assert line["statement"] == "Lemma 0: less"
    assert line["certificate"] == certificate_path("HU-X", "narrow")
    assert line["certificate"].endswith("HU-X.narrow.json")
    assert row(claim, first.model_copy(update={"certificate": {"a": 1}}))["certificate"].endswith(
        "certificates/HU-X.json"
    )


def test_a_point_is_beyond_only_if_all_of_its_range_is():
    axes = ("x", "y")
    measured = [1.0, 3.0, 3.0, 0.5, 0.5, 2.0]
    low, high = [0.5, 2.5, 1.5, 0.4, 0.4, 2.0], [1.5, 3.5, 3.5, 0.6, 1.2, 2.0]
    frame = points(range(6), measured, low=low, high=high, at_least=1.0, at_most=2.0, axes=axes)
    assert frame["beyond"].tolist() == [False, True, False, True, False, False]
    near = points([0], [2.0 + 1e-12], at_most=[2.0], axes=axes)
    assert not near["beyond"].any()
    assert points([0], [2.0 + 1e-7], at_most=[2.0], axes=axes)["beyond"].all()
    assert not points([0], [99.0], axes=axes)["beyond"].any()


def test_curves_are_the_rows_of_a_table():
    """Series and panel are formats of a row, one curve follows the other, limits are columns."""
    rows = pd.DataFrame({"t": [1, 1, 2, 2], "eps": [1.0, 0.5] * 2, "mean": [5.0, 6, 7, 8],
                         "sem": [1.0, 1, 1, 2], "bound": [9.0, 9, 9, 9]})  # fmt: skip
    look = {"series": "ε = {eps:g}", "panel": "t to 2", "axes": ("t", "mean")}
    found = curves(rows, "t", z=2, at_most="bound", **look)
    assert found["series"].tolist() == ["ε = 1", "ε = 1", "ε = 0.5", "ε = 0.5"]
    assert found["panel"].unique().tolist() == ["t to 2"]
    assert found["measured"].tolist() == [5, 7, 6, 8]
    assert found["low"].tolist() == [3, 5, 4, 4]
    assert found["high"].tolist() == [7, 9, 8, 12]
    assert found["at_most"].tolist() == [9, 9, 9, 9]
    exact = curves(rows, "eps", "sem", low="t", at_least=1, axes=("eps", "sem"))
    assert exact["low"].tolist() == [1, 1, 2, 2]
    assert exact["high"].tolist() == [1, 1, 1, 2]
    assert exact["series"].tolist() == [""] * 4


def test_a_plot_needs_points_that_are_numbers():
    with pytest.raises(ValueError, match="needs points"):
        joined([])
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            joined(points([1], [wrong], axes=("x", "y")) for _ in range(1))
    assert len(joined([*INSIDE, *BEYOND])) == 2
