"""The table of published figures: one entry per panel, both sets of constants beside each other."""

import json

from scratch import ROOT

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import NO_NUMBER
from dpbandits.reproduction.plots.figures import reader
from dpbandits.reproduction.report.markdown import published_figures

EPSILONS = {"a": "0.25", "b": "0.5", "c": "1"}
PANELS = {f"HU Figure {n} ({letter}), ε = {e}" for n in (1, 2) for letter, e in EPSILONS.items()}
PANELS |= {f"FL Figure {number} {side}" for number in (1, 2, 3) for side in ("left", "right")}


def row(reading, verdict, *panels, id="FL-F"):
    made = [{"panel": panel, "picture": "fl/x", "says": "4", "source": "Section 6", "ours": ours,
             "deviation": deviation} for panel, ours, deviation in panels]  # fmt: skip
    return Row({"id": id, "paper": id[:2], "reading": reading, "verdict": verdict,
                "published": json.dumps(made) if made else ""})  # fmt: skip


ROWS = [
    row("printed", "rejected", ("Figure 1", "3", "-9.0"), ("Figure 2", "2", NO_NUMBER)),
    row("released", "consistent", ("Figure 1", "4.1", "0.4")),
    row("released, below s*", "untestable", ("Figure 1", "5", NO_NUMBER)),
    row("printed", "holds", id="KL-X"),
]


def test_an_entry_has_both_sets_of_constants():
    first, second = published_figures(ROWS)
    said = [first[key] for key in ("panel", "published", "source")]
    assert said == ["Figure 1", ["4"], ["Section 6"]]
    assert [part["deviation"] for part in first["printed"]] == ["-9.0"]
    assert [(p["ours"], p["verdict"]) for p in first["released"]] == [
        ("4.1", "consistent"), ("5", "untestable")]  # fmt: skip
    assert (second["panel"], second["released"]) == ("Figure 2", [])


def test_every_published_panel_has_its_row():
    golden = {key: reader(ROOT / f"tests/golden/{key}") for key in ("hu", "fl")}
    verdicts = [
        (claim, verdict)
        for claim in claims().values() if any(reading.published for reading in claim.readings)
        for verdict in claim.verdicts(golden[claim.paper.lower()])
    ]  # fmt: skip
    named = {f"{claim.paper} {panel.panel}" for claim, v in verdicts for panel in v.published}
    assert named == PANELS
