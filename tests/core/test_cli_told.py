"""What each command takes and tells, in small made-up cases: by hand, or as it was (looks.csv)."""

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from looks import described_canvas, same
from scratch import ROOT

from dpbandits import cli
from dpbandits.cli import comparing, contracts, drawing, inputs, listing, main, refute, skeletons
from dpbandits.core.errors import InputError
from dpbandits.pipeline import kept

# --- what was typed -------------------------------------------------------------------------------
CALLS = (
    "list", "list claims --paper hu --figure f --claim c --json",
    "simulate a --setting s --horizon 9 --seeds 2 --output o", "plot f",
    "plot f -o p --band none --log xy", "draw f", "draw f --scale smoke -o x --needs",
    "check", "check A B --all --json", "refute A", "refute A --json",
    "new claim HU-1", "new figure x --paper hu", "test hu", "verify a.zip",
    "verify a.zip --tables none --cores 2", "compare a b", "compare --against HEAD a",
    "compare a b -o p --setting s --epsilon 2 --horizon 3 --seeds 4", "audit",
    "audit rnm --set a=1 b=2 --set c=3 --at-epsilon 1 --json --neighbours swap",
    "audit --function m:f --data d --actions a --reference r", "bound kl-mab --at-epsilon 1",
    "calibrate rnm --target-epsilon 1", "calibrate rnm --target-epsilon 1 --target-delta 2",
)  # fmt: skip


@pytest.mark.parametrize("words", CALLS)
def test_a_call_is_understood_as_it_was(words):
    options = vars(cli.build_parser().parse_args(words.split()))
    same(f"dpbandits {words}", {"options": json.dumps(options, sort_keys=True)})


def test_values_by_hand():
    assert inputs.items(" a, b ,a", "x") == ["a", "b"]
    assert [inputs.whole(t, "x") for t in ("1", "1e3", "9007199254740992")] == [1, 1000, 2**53]
    assert inputs.whole("0", "x", least=0) == 0
    assert inputs.rounds_asked("5,3,5", 5) == [3, 5]
    assert [inputs.at_least_zero(t, "x") for t in ("0", "2.5")] == [0, 2.5]
    assert inputs.read_setting(' {"a": 1}') == {"a": 1}
    assert inputs.read_setting("[1]") == [1]
    private, free = (
        SimpleNamespace(name="p", private=True),
        SimpleNamespace(name="f", private=False),
    )
    assert inputs.epsilons_asked(free, [free], None) == [math.inf]
    assert inputs.epsilons_asked(free, [private, free], "1,2") == [math.inf]
    options = SimpleNamespace(set=["a=1", "b=x=y"], data="d", actions=None, reference=None,
                              neighbours="")  # fmt: skip
    assert inputs.given(options) == {"a": "1", "b": "x=y", "data": "d"}


@pytest.mark.parametrize("wrong", ["0", "1.5", "-1", "x", "9007199254740993", "inf", "1e400"])
def test_what_is_no_whole_number(wrong):
    with pytest.raises(InputError, match="whole number from 1"):
        inputs.whole(wrong, "x")


@pytest.mark.parametrize("wrong", ["-1e-9", "inf", "nan", "x"])
def test_what_is_not_from_zero(wrong):
    with pytest.raises(InputError, match="number from 0"):
        inputs.at_least_zero(wrong, "x")


@pytest.mark.parametrize("items", [["a"], ["=1"], ["a=1", "a=2"]])
def test_what_is_no_parameter(items):
    with pytest.raises(InputError, match="each key once"):
        inputs.given(SimpleNamespace(set=items))


def test_an_output_stands_in_a_folder(tmp_path):
    assert inputs.writable(str(tmp_path / "x")) == tmp_path / "x"
    for wrong in (tmp_path, tmp_path / "none/x"):
        with pytest.raises(InputError, match="folder that exists"):
            inputs.writable(str(wrong))


# --- list -----------------------------------------------------------------------------------------
def thing(name, paper, **more):
    return {"name": name, "paper": paper, **more, "place": f"/nowhere/{paper}.py:3"}


ENTRIES = {
    "algorithms": [thing("long-name", "hu", of="x"), thing("a", "fl", of="")],
    "claims": [thing("HU-1", "hu", statement="eps <= 1"), thing("HU-2", "hu"), thing("FL-1", "fl")],
    "figures": [thing("hu/x", "hu"), thing("hu/y", "hu"), thing("hu/claims/HU-1", "hu")],
}
EVIDENCE = (
    "id,evidence\nHU-1,figures/hu/x.csv;figures/hu/y.png\nHU-2,figures/hu/y.csv;other/hu/x.csv\n"
)
LISTED = {
    "": "algorithms:\nlong-name  x  /nowhere/hu.py:3\na          /nowhere/fl.py:3\nclaims:\n"
        "HU-1  ε ≤ 1  /nowhere/hu.py:3\nHU-2  /nowhere/hu.py:3\nFL-1  /nowhere/fl.py:3\nfigures:\n"
        "hu/x            /nowhere/hu.py:3\nhu/y            /nowhere/hu.py:3\n"
        "hu/claims/HU-1  /nowhere/hu.py:3\n",
    "claims --paper FL": "FL-1  /nowhere/fl.py:3\n",
    "claims --figure HU/X": "HU-1  ε ≤ 1  /nowhere/hu.py:3\n",
    "claims --figure hu/claims/HU-1": "HU-1  ε ≤ 1  /nowhere/hu.py:3\n",
    "figures --claim hu-2": "hu/y  /nowhere/hu.py:3\n",
    "figures --claim HU-1 --paper fl": "",
    "--figure hu/y": "algorithms:\nclaims:\nHU-1  ε ≤ 1  /nowhere/hu.py:3\nHU-2  /nowhere/hu.py:3\n"
                     "figures:\n",
    "--figure hu/x --claim HU-2": "algorithms:\nclaims:\nHU-1  ε ≤ 1  /nowhere/hu.py:3\nfigures:\n"
                                  "hu/y  /nowhere/hu.py:3\n",
}  # fmt: skip


@pytest.fixture
def entries(monkeypatch, tmp_path):
    (tmp_path / "claims.csv").write_text(EVIDENCE)
    monkeypatch.setattr(listing, "entries", lambda: ENTRIES)
    monkeypatch.setattr(listing, "LEDGER", tmp_path / "claims.csv")


@pytest.mark.parametrize("words", LISTED)
def test_list_shows_what_is_asked_for(words, entries, capsys):
    assert main(["list", *words.split()]) == 0
    assert capsys.readouterr().out == LISTED[words]


def test_list_as_json_and_places_seen_from_here(entries, monkeypatch, capsys):
    main(["list", "claims", "--paper", "fl", "--json"])
    assert json.loads(capsys.readouterr().out) == ENTRIES["claims"][2:]
    main(["list", "--paper", "fl", "--json"])
    assert json.loads(capsys.readouterr().out) == {
        kind: [e for e in own if e["paper"] == "fl"] for kind, own in ENTRIES.items()
    }
    here = {"claims": [{"name": "X", "paper": "hu", "place": str(ROOT / "src/x.py:3")}]}
    monkeypatch.setattr(listing, "entries", lambda: here)
    monkeypatch.chdir(ROOT)
    main(["list", "claims"])
    assert capsys.readouterr().out == "X  src/x.py:3\n"


HU_T8 = {"name": "HU-T8", "paper": "hu", "where": "Theorem 8, D.1"}
KNOWN = {  # of each kind: file, and what is said beside the name, but for texts
    "algorithms": ("stochastic/rnm_ftnl.py", {
        "name": "rnm-ftnl", "paper": "hu", "of": "hu", "notion": "pure", "privacy": "HU-T8",
        "setting": "means, variant", "source": "HU Algorithm 4"}),
    "claims": ("stochastic/claims/privacy.py", HU_T8),
    "figures": ("stochastic/claims/privacy.py", {
        "name": "hu/claims/HU-T8", "paper": "hu", "notebook": "notebooks/hu/theorems.ipynb",
        "reads": "claims/hu/verdicts.csv, claims/hu/points.csv", "title": "HU-T8, Theorem 8, D.1"}),
    "mechanisms": ("audit/rnm.py", {
        "name": "rnm", "paper": "", "does": "audit, calibrate, bound",
        "keys": "arms, rounds, adjacency, noise, scale"}),
    "studies": ("offline/studies/tightness.py", {
        "name": "kl/tightness", "paper": "kl",
        "keys": "families, designed, rounds, kept, children, seed"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KNOWN)
def test_what_is_registered_is_told_with_its_paper_and_place(kind):
    file, told = KNOWN[kind]
    found = listing.KINDS[kind]()
    (entry,) = (entry for entry in found if entry["name"] == told["name"])
    path, line = entry.pop("place").rsplit(":", 1)
    entry.pop("statement", None)
    assert (entry, path) == (told, str(ROOT / "src/dpbandits" / file))
    lines = Path(path).read_text().splitlines()[int(line) - 1 :]
    assert lines[0].startswith("@")
    assert any(told["name"].rsplit("/")[-1] in text for text in lines[:3])
    if kind == "figures":
        (own,) = (entry for entry in found if entry["name"] == "hu/fig1")
        assert own["reads"] == "tables/hu/fig1.csv"
        assert "figures/regret.py" in own["place"]
    if kind == "mechanisms":
        assert found == sorted(found, key=lambda entry: entry["name"])


# --- check, draw, compare, plot -------------------------------------------------------------------
JUDGED = {
    "hu": [{"id": "HU-T8", "reading": r, "verdict": "holds", "bound": "eps <= 1", "slack": ""}
           for r in ("printed", "other")],
    "kl": [{"id": "KL-T1-pure", "reading": "printed", "verdict": "violated"}],
}  # fmt: skip


def test_check_tells_kept_rows_in_the_order_asked_for(monkeypatch, capsys):
    from dpbandits.cli import checking

    asked = []
    monkeypatch.setattr(kept, "verdicts", lambda paper: asked.append(paper) or JUDGED[paper])
    monkeypatch.setattr(checking, "theorems", list)
    assert main(["check", "kl-t1-pure", "HU-T8"]) == 0
    assert capsys.readouterr().out == (
        "KL-T1-pure, printed: violated\n  reading: printed\n  verdict: violated\n"
        "HU-T8, printed: holds\n  reading: printed\n  verdict: holds\n  bound: ε ≤ 1\n"
        "HU-T8, other: holds\n  reading: other\n  verdict: holds\n  bound: ε ≤ 1\n"
    )
    assert sorted(asked) == ["hu", "kl"]  # once each
    assert main(["check", "HU-T8", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == JUDGED["hu"]
    monkeypatch.setattr(listing, "names", lambda kind: {
        "HU-T8": {"name": "HU-T8", "paper": "hu"}, "KL": {"name": "KL-T1-pure", "paper": "kl"},
    })  # fmt: skip
    assert main(["check", "--all", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == JUDGED["hu"] + JUDGED["kl"]
    assert main(["check", "--all", "HU-T8"]) == 2


def test_draw_says_what_is_not_up_to_date_and_where_it_wrote(monkeypatch, tmp_path, capsys):
    made = {f"{tmp_path}/tables/hu/fig1.csv": None}
    asked = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(kept, "wanted", lambda *words: asked.append(words) or (str(tmp_path), made))
    monkeypatch.setattr(kept, "is_up_to_date", lambda path, made: False)
    assert main(["draw", "HU/fig1", "--needs", "--scale", "smoke"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/tables/hu/fig1.csv\n"
    monkeypatch.setattr(kept, "is_up_to_date", lambda path, made: True)
    assert main(["draw", "hu/fig1", "--needs"]) == 0
    assert capsys.readouterr().out == ""
    assert asked == [("hu", "smoke"), ("hu", None)]

    def drawn(name, tables, out, scale):
        seen.append((name, str(tables), str(out), scale))
        for form in ("txt", "csv"):
            (tmp_path / f"fig1.{form}").write_text("")
        return SimpleNamespace(we_see="eps = 1")

    from dpbandits.pipeline import captions, figures

    seen = []
    monkeypatch.setattr(figures, "draw", drawn)
    monkeypatch.setattr(captions, "scale_of", lambda folder: f"of {folder}")
    assert main(["draw", "hu/fig1", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"ε = 1\n{tmp_path}/fig1.csv\n{tmp_path}/fig1.txt\n"
    main(["draw", "hu/fig1"])
    folder = f"{tmp_path}/tables/hu"
    assert seen == [("hu/fig1", folder, out, f"of {folder}")
                    for out in (str(tmp_path), f"{tmp_path}/figures/hu")]  # fmt: skip
    monkeypatch.setattr(kept, "is_up_to_date", lambda path, made: False)
    monkeypatch.setattr(drawing, "_found_now", lambda entry, scale, made: "now")
    main(["draw", "hu/fig1"])
    assert seen[-1][1] == "now"
    monkeypatch.chdir(tmp_path)
    assert main(["draw", "hu/fig1"]) == 2


@pytest.fixture
def regret(tmp_path):
    """Three seeds of two algorithms at two epsilon over three rounds."""
    cells = pd.MultiIndex.from_product(
        [["dp-se", "ucb1"], [0.5, np.inf], [0, 1, 2], [1, 10, 100]],
        names=["algorithm", "epsilon", "seed", "t"],
    )
    frame = cells.to_frame(index=False)
    frame["regret"] = frame["t"] * (1.0 + frame["seed"]) + (frame["algorithm"] == "ucb1")
    frame.to_csv(tmp_path / "regret.csv", index=False)
    return frame


@pytest.mark.parametrize("words", ["", "--band spread --log none", "--band none --log y", "end"])
def test_a_plot_of_regret_looks_as_it_did(words, regret, tmp_path, capsys):
    if words == "end":
        regret[regret["t"] == 100].to_csv(tmp_path / "regret.csv", index=False)
    options = [word for word in words.split() if word != "end"]
    assert main(["plot", str(tmp_path / "regret.csv"), *options]) == 0
    curves = "2 curves over epsilon" if words == "end" else "4 curves over t"
    assert capsys.readouterr().out == f"{tmp_path}/regret.png: {curves}\n"
    canvas = plt.gcf()
    plt.close(canvas)
    same(f"dpbandits plot {words}", described_canvas(canvas))


def test_compare_tells_of_each_cell(regret, tmp_path, capsys):
    """By one in every seed; by 0, 1 and 2, whose mean is 1 with a standard error of 1/sqrt(3)."""
    old, new = str(tmp_path / "regret.csv"), str(tmp_path / "new.csv")
    one = regret["algorithm"] == "dp-se"
    shift = np.where(one & (regret["epsilon"] == 0.5), 1.0, 0.0)
    shift += np.where(one & (regret["epsilon"] > 0.5), regret["seed"], 0)
    regret.assign(regret=regret["regret"] + shift).to_csv(new, index=False)
    assert main(["compare", old, new, "-o", str(tmp_path / "x.png")]) == 1
    assert capsys.readouterr().out == (
        "Seed by seed, at the last round: 2 of 4 cells differ\n"
        "  dp-se 0.5 100: 200 -> 201, +1 [+1, +1] over 3 seeds, p = 0: differs\n"
        "  dp-se inf 100: 200 -> 201, +1 [-1.484, +3.484] over 3 seeds, p = 0.23: "
        "no difference seen\n"
        "  ucb1 0.5 100: 201 -> 201, +0 [+0, +0] over 3 seeds, the same in every seed\n"
        "  ucb1 inf 100: 201 -> 201, +0 [+0, +0] over 3 seeds, the same in every seed\n"
        f"{tmp_path}/x.png: the differences over time\n"
    )
    canvas = plt.gcf()
    plt.close(canvas)
    same("dpbandits compare -o", described_canvas(canvas))
    assert main(["compare", old, old]) == 0
    regret.assign(seed=regret["seed"] + 9).to_csv(new, index=False)
    capsys.readouterr()
    assert main(["compare", old, new]) == 0
    assert capsys.readouterr().out == "Seed by seed: nothing that both have\n"
    assert main(["compare", old, str(tmp_path)]) == 2  # a folder without simulations
    assert main(["compare", old]) == 2


def test_compare_against_a_commit_simulates_both(monkeypatch, capsys):
    """git and the simulations replaced: what they are called with."""
    called = []

    def run(command, **options):
        called.append(command)
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(comparing.subprocess, "run", run)
    monkeypatch.setattr(comparing, "_paired", lambda old, new, output: old.name == "old.csv")
    words = ["compare", "--against", "HEAD", "ucb1", "--setting", "{}", "--epsilon", "7"]
    assert main(words) == 1
    assert main([*words[:3], "dp-se", *words[4:]]) == 1
    add, first, second, remove = called[:4]
    assert add[:5] == ["git", "worktree", "add", "--quiet", "--detach"]
    assert add[6] == "HEAD"
    assert remove == ["git", "worktree", "remove", "--force", add[5]]
    assert "--epsilon" not in first
    assert first[-1].endswith("old.csv")
    assert second[-1].endswith("new.csv")
    assert called[5][-2:] == ["--epsilon", "7"]
    monkeypatch.setattr(
        comparing.subprocess,
        "run",
        lambda *a, **o: SimpleNamespace(returncode=1, stderr="no such commit"),
    )
    assert main(words) == 2
    assert "no such commit" in capsys.readouterr().err
    assert main([*words[:4], "other", *words[4:]]) == 2  # of one algorithm only


# --- refute, test, verify, simulate ---------------------------------------------------------------
ROW = dict.fromkeys(("certificate", *refute.SHOWN), "") | {
    "id": "HU-X", "reading": "printed", "verdict": "rejected", "method": "statistical",
    "statement": "Theorem 1: eps <= 1", "measured": "2 eps", "repaired": "eps <= 3",
    "evidence": "figures/hu/x.csv;docs/page.md",
}  # fmt: skip
CERTIFICATE = {
    "claim": "HU-T8", "reading": "other one", "statement": "Theorem 8", "theorem": "HU-T8 exact",
    "given": {"epsilon": "1/2", "means": ["1", "2/3"]}, "data": [["0", ["1", "0"]]],
    "neighbour": [["1", ["1", "0"]]], "event": "arm 0", "fails": "p <= q", "step": "line 3",
    "enclosures": {"left": ["1.23456789012", "1.23456799012"], "right": ["1", "2"],
                   "delta": ["0.1", "0.1"]}, "python": ["left = 2", "right = 1"],
}  # fmt: skip


def test_a_refutation_is_told_as_it_was(monkeypatch):
    monkeypatch.setattr(refute, "theorems", list)
    said = {"row": refute.row_page(ROW), "certificate": refute.page(CERTIFICATE)}
    assert "left = 1.234568 is larger than right = 1." in said["certificate"]  # 7 digits are shared
    assert "Certificate: none: the row is statistical" in said["row"]
    assert "for path in ['figures/hu/x.csv']:" in said["row"]
    same("dpbandits refute", said)
    bare = refute.row_page(ROW | {"evidence": "docs/page.md", "method": "proof"})
    assert "Certificate: none; method proof" in bare
    assert "In Python" not in bare
    known = {"theorem": "t", "file": "f.v", "claim": "HU-X", "reading": "printed"}
    found = [known | {"kind": "refutes"}, known | {"kind": "proves"},
             known | {"kind": "refutes", "reading": "other"}]  # fmt: skip
    monkeypatch.setattr(refute, "theorems", lambda: found)
    assert refute.stands_on(ROW) == "checked by Coq: t in f.v"


def test_a_certificate_is_of_the_longest_name():
    assert refute.claim_of("KL-S4.4-inexact") == "KL-S4.4-inexact"
    assert refute.claim_of("HU-T8.some-reading") == "HU-T8"


def test_the_contracts_are_held_to_what_a_paper_brings(monkeypatch):
    called = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(contracts.subprocess, "call", lambda words: called.append(words) or 3)
    assert main(["test", "fl"]) == main(["test", "dpbandits.sparse"]) == 3
    assert called[0] == called[1]
    assert called[0][1:4] == ["-m", "pytest", "-q"]
    names = called[0][-1].split(" or ")
    assert {"fliphat", "sa-lasso"} <= set(names)
    assert not {"usca", "dp-se", "rnm"} & set(names)


def test_verify_looks_at_hashes_then_at_tables(monkeypatch, capsys):
    from dpbandits.cli import verifying

    class Archive:
        zip = SimpleNamespace(namelist=lambda: ["a", "b"])
        bad: tuple = ()
        other: tuple = ()

        def __init__(self, path):
            assert path == "x.zip"

        damaged = lambda self: [*self.bad]  # noqa: E731
        sample = lambda self: ["hu/a", "kl/b"]  # noqa: E731
        named = lambda self, names: [f"hu/{name}" for name in names]  # noqa: E731
        made_anew = lambda self, tables, cores: (*tables, cores)  # noqa: E731
        differing = lambda self, made: made_of.append(made) or [*self.other]  # noqa: E731

    made_of = []
    monkeypatch.setattr(verifying, "Archive", Archive)
    fine = "2 files: all as described\n"
    for words, out in {
        "": "made from scratch, equal: hu/a, kl/b\n", "--tables none": "",
        "--tables c,d --cores 2": "made from scratch, equal: hu/c, hu/d\n",
    }.items():  # fmt: skip
        assert main(["verify", "x.zip", *words.split()]) == 0
        assert capsys.readouterr().out == fine + out
    assert made_of == [("hu/a", "kl/b", 1), ("hu/c", "hu/d", 2)]
    Archive.other = ("hu/a differs",)
    assert main(["verify", "x.zip"]) == 1
    assert capsys.readouterr().out == fine + "hu/a differs\n"
    Archive.bad = ("b is damaged",)
    assert main(["verify", "x.zip"]) == 1
    assert capsys.readouterr().out == "b is damaged\n"
    assert [main(["verify", "x.zip", "--cores", cores]) for cores in ("0", "-1", "x")] == [2] * 3


def test_simulate_tells_each_run_on_a_terminal(monkeypatch, capsys):
    from dpbandits.cli.simulating import _teller

    tell = _teller("x", [1, 2])
    tell(0, 2)
    tell(1, 2)
    few = "x: 2 separate runs, one per seed and T = t; fewer: --at\n"
    assert capsys.readouterr().err == few
    _teller("x", [1])(0, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    tell = _teller("x", [1])
    tell(0, 2)
    tell(1, 2)
    assert capsys.readouterr().err == "x\n  run 1 of 2\r  run 2 of 2\n"


# --- new ------------------------------------------------------------------------------------------
MADE = ("algorithm my-bandit --paper hu", "algorithm my-sparse --paper fl",
        "algorithm my-kernel --paper us", "study kl/my_study", "figure hu/my_figure",
        "figure my_picture --paper kl", "claim HU-MY1.x", "claim us-MY2", "paper my")  # fmt: skip


@pytest.mark.parametrize("words", MADE)
def test_what_new_writes_is_as_it_was(words, monkeypatch, tmp_path, capsys):
    """That it runs is seen in tests/plugins."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "config", "config")
    notebook = Path("notebooks/hu/theorems.ipynb")
    notebook.parent.mkdir(parents=True)
    notebook.write_text(json.dumps({"cells": [1], "metadata": {}}))
    there = {path for path in tmp_path.rglob("*") if path.is_file()} - {notebook.resolve()}
    monkeypatch.setattr(skeletons, "package_folder", lambda name: Path(name.replace(".", "/")))
    monkeypatch.setattr(listing, "KINDS", dict.fromkeys(listing.KINDS, list))
    assert main(["new", *words.split()]) == 0
    said = {"said": capsys.readouterr().out}
    made = {p for p in tmp_path.rglob("*") if p.is_file()} - there
    made -= set() if "HU-MY1" in words else {notebook.resolve()}
    said |= {p.relative_to(tmp_path).as_posix().replace(":", ""): p.read_text() for p in made}
    same(f"dpbandits new {words}", dict(sorted(said.items())))
    if not words.startswith("claim HU"):
        assert main(["new", *words.split()]) == 2
        assert "is there already" in capsys.readouterr().err or words.startswith("paper")


@pytest.mark.parametrize("words", [
    "algorithm My --paper hu", "claim HU", "study my-study --paper kl", "algorithm x --paper kl",
    "figure fig1 --paper hu", "claim hu-T8", "algorithm dp-se --paper hu", "study x", "paper hu",
])  # fmt: skip
def test_what_new_refuses(words, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(skeletons, "write_text", lambda text, path: pytest.fail("written"))
    assert main(["new", *words.split()]) == 2
    same(f"refused: new {words}", {"said": capsys.readouterr().err})
