"""What each command takes and tells, in small made-up cases: by hand, or as it was (looks.csv)."""

import io
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from looks import described_canvas, same
from pydantic import Field
from scratch import ROOT

from dpbandits import cli
from dpbandits.cli import comparing, drawing, inputs, listing, main
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model
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


def test_help_says_what_it_said():
    """Of each command its texts and words; how argparse sets them depends on Python's version."""
    commands = cli.build_parser()._subparsers._group_actions[0]
    about = {action.dest: action.help for action in commands._choices_actions}
    parts = {}
    for name, parser in commands.choices.items():
        words = [
            (a.option_strings, a.dest, a.nargs, a.default, a.choices, a.metavar, a.required, a.help)
            for a in parser._actions
        ]
        parts[name] = "\n".join(map(str, [about[name], parser.description, *words]))
    same("dpbandits --help", parts)


@pytest.mark.parametrize("words", ["audit", "audit rnm", "calibrate", "bound rnm"])
def test_help_ends_with_the_keys(words, capsys):
    """Without a mechanism the usage comes first."""
    command, *name = words.split()
    with pytest.raises(SystemExit):
        main([command, *name, "--help"])
    out = capsys.readouterr().out
    assert out.startswith("Keys of rnm: " if name else "usage: dpbandits ")
    end = "The keys of a mechanism: dpbandits calibrate NAME --help"
    assert end == out.splitlines()[-1] if command == "calibrate" else "Keys of " in out


def test_a_reader_that_has_enough_is_no_error(monkeypatch):
    """As in `dpbandits list | head`."""

    def closed(options):
        raise BrokenPipeError

    monkeypatch.setattr(cli, "_function", lambda name: closed)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert main(["list"]) == 0
    monkeypatch.setattr(cli, "_function", lambda name: lambda options: 3)
    assert main(["list"]) == 3


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
    assert capsys.readouterr().out == json.dumps(ENTRIES["claims"][2:], indent=1) + "\n"
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


def test_an_audit_is_told_line_by_line_at_the_epsilon_asked_for(capsys):
    """Three answers at eps = 2: the true one has e^2/(e^2 + 2), each other one 1/(e^2 + 2)."""
    words = ["audit", "randomized-response", "--set", "epsilon=2", "actions=3"]
    assert main([*words, "--at-epsilon", "1.0,.5"]) == 0
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert list(lines) == ["pure_epsilon", "delta_at", "worst_neighbour", "method"]
    assert float(lines["pure_epsilon"]) == pytest.approx(2)
    deltas = eval(lines["delta_at"])
    true = {e: (math.exp(2) - math.exp(float(e))) / (math.exp(2) + 2) for e in ("1.0", ".5")}
    assert deltas == pytest.approx(true)
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["delta_at"] == {}
    for wrong in ("audit", "audit rnm --function m:f", "calibrate rnm --target-epsilon inf",
                  "calibrate rnm --target-epsilon 1 --target-delta 1"):  # fmt: skip
        assert main(wrong.split()) == 2
        assert "allowed: a" in capsys.readouterr().err


def test_help_tells_what_a_key_takes():
    from dpbandits.cli.audits import _allowed, keys_of

    class Keys(Model):
        one: Annotated[float, Field(ge=0, lt=1.5)]
        two: Annotated[int, Field(gt=2, le=1000)]
        three: Literal["a", "b"]
        four: str

    said = [_allowed(field) for field in Keys.model_fields.values()]
    assert said == [">= 0, < 1.5", "> 2, <= 1000", "a | b", ""]
    first, *lines = keys_of("randomized-response", calibrates=False).splitlines()
    assert first == "Keys of randomized-response: --set KEY=VALUE ..."
    assert [line.split()[0] for line in lines] == ["epsilon", "actions"]
    assert [line.endswith("; needed") for line in lines] == [True, False]
    assert keys_of(None, True) == "The keys of a mechanism: dpbandits calibrate NAME --help"
    assert keys_of(None, False).startswith("Keys of --function: --set KEY=VALUE ...\n  data ")
