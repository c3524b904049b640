"""What each command accepts and prints, in small cases computed by hand."""

import json
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.cli import audits, inputs, listing, main
from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import tables


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("audit", "Keys of --function: --set KEY=VALUE ..."),
        ("calibrate", "The keys of a mechanism: dpbandits calibrate NAME --help"),
    ],
)
def test_help_without_a_mechanism_has_usage_and_keys(command, keys, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: dpbandits ")
    assert keys in lines


def test_values_of_options():
    assert inputs.items(" a, b ,a", "x") == ["a", "b"]
    for text, number in {"1": 1, "1e3": 1000, "9007199254740992": 2**53}.items():
        assert inputs.whole_number(text, "x") == number
    assert inputs.whole_number("0", "x", least=0) == 0
    assert inputs.parse_rounds("5,3,5", 5) == [3, 5]
    assert [inputs.at_least_zero(t, "x") for t in ("0", "2.5")] == [0, 2.5]
    assert inputs.read_setting(' {"a": 1}') == {"a": 1}
    assert inputs.read_setting("[1]") == [1]


def test_epsilon_of_an_algorithm_that_is_not_private_is_infinite():
    private = SimpleNamespace(name="p", private=True)
    public = SimpleNamespace(name="f", private=False)
    assert inputs.parse_epsilons(public, [public], None) == [math.inf]
    assert inputs.parse_epsilons(public, [private, public], "1,2") == [math.inf]


def test_parameters_of_a_mechanism():
    unset = {"actions": None, "reference": None, "neighbours": ""}
    options = SimpleNamespace(set=["a=1", "b=x=y", 'c=["u,v=w"]'], data="d", **unset)
    values = {"a": "1", "b": "x=y", "c": '["u,v=w"]', "data": "d"}
    assert inputs.parameters(options) == values


@pytest.mark.parametrize("wrong", ["0", "1.5", "-1", "x", "9007199254740993", "inf", "1e400"])
def test_invalid_whole_numbers_are_refused(wrong):
    with pytest.raises(InputError, match="whole number from 1"):
        inputs.whole_number(wrong, "x")


@pytest.mark.parametrize("wrong", ["-1e-9", "inf", "nan", "x"])
def test_negative_and_non_finite_numbers_are_refused(wrong):
    with pytest.raises(InputError, match="number from 0"):
        inputs.at_least_zero(wrong, "x")


@pytest.mark.parametrize("items", [["a"], ["=1"], ["a=1", "a=2"], ["a=1,b=2"]])
def test_invalid_parameters_are_refused(items):
    with pytest.raises(InputError, match="each key once"):
        inputs.parameters(SimpleNamespace(set=items))


def test_output_must_be_a_file_in_an_existing_folder(tmp_path):
    assert inputs.writable(str(tmp_path / "x.PNG"), ".png") == tmp_path / "x.PNG"
    for wrong in (tmp_path, tmp_path / "none/x"):
        with pytest.raises(InputError, match=r"folder that exists|name that ends in"):
            inputs.writable(str(wrong))


def test_output_folder_may_hold_folders_of_any_name_and_need_not_exist(tmp_path):
    (tmp_path / "x").mkdir()
    for folder in (tmp_path, tmp_path / "x", tmp_path / "new"):
        assert inputs.writable_folder(str(folder)) == folder
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


# --- list -----------------------------------------------------------------------------------------
def entry(name, paper, **more):
    return {"name": name, "paper": paper, **more, "place": f"/nowhere/{paper}.py:3"}


ENTRIES = {
    "algorithms": [entry("long-name", "hu", of="x"), entry("a", "fl", of="")],
    "claims": [
        entry("HU-1", "hu", statement="$\\epsilon \\le 1$"),
        entry("HU-2", "hu"),
        entry("FL-1", "fl"),
    ],
    "figures": [entry("hu/x", "hu"), entry("hu/y", "hu"), entry("hu/claims/HU-1", "hu")],
}
EVIDENCE = (
    "id,evidence\nHU-1,figures/hu/x.csv;figures/hu/y.png\nHU-2,figures/hu/y.csv;other/hu/x.csv\n"
)
HEADER = (
    "name       paper  notion  proof of the default's privacy  learner  private as claimed?  "
    "keys of the setting  place\n"
)
LISTED = {
    "": f"algorithms:\n{HEADER}long-name  x{' ' * 76}  /nowhere/hu.py:3\n"
        f"a{' ' * 87}  /nowhere/fl.py:3\nclaims:\n"
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
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/claims.csv").write_text(EVIDENCE)
    kinds = {kind: lambda group=group: group for kind, group in ENTRIES.items()}
    monkeypatch.setattr(listing, "KINDS", kinds)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", LISTED)
def test_list_filters_by_kind_paper_figure_and_claim(words, entries, capsys):
    assert main(["list", *words.split()]) == 0
    assert capsys.readouterr().out == LISTED[words]


def test_list_as_json(entries, capsys):
    main(["list", "claims", "--paper", "fl", "--json"])
    assert capsys.readouterr().out == json.dumps(ENTRIES["claims"][2:], indent=1) + "\n"
    main(["list", "--paper", "fl", "--json"])
    assert json.loads(capsys.readouterr().out) == {
        kind: [entry for entry in group if entry["paper"] == "fl"]
        for kind, group in ENTRIES.items()
    }


def test_list_prints_paths_relative_to_the_current_folder(monkeypatch, capsys):
    entries = [{"name": "X", "paper": "hu", "place": str(ROOT / "src/x.py:3")}]
    monkeypatch.setattr(listing, "KINDS", {"claims": lambda: entries})
    monkeypatch.chdir(ROOT)
    main(["list", "claims"])
    assert capsys.readouterr().out == "X  src/x.py:3\n"


HU_T8 = {"name": "HU-T8", "paper": "hu", "where": "Theorem 8, D.1"}
REGISTERED = {  # one entry of each kind: its file, and its fields except `statement`
    "algorithms": ("stochastic/rnm_ftnl.py", {
        "name": "rnm-ftnl", "paper": "hu", "of": "hu", "notion": "pure", "learner": "yes",
        "guarantee": "docs/proofs/HU.md, Theorem P",
        "private": "phase: yes; printed: no, 2 epsilon; corrected: yes; permute-and-flip: yes; "
                   "gumbel: yes; prefix: yes",
        "setting": "means, variant", "source": "HU Algorithm 4"}),
    "claims": ("reproduction/hu/claims.toml", HU_T8),
    "figures": ("reproduction/fl/figures/lemma_a2.py", {
        "name": "fl/lemma_a2", "paper": "fl", "notebook": "notebooks/fl/figures.ipynb",
        "reads": "tables/fl/lemma_a2.csv", "title": "Lemma A.2, Peeling with its printed noise"}),
    "mechanisms": ("audit/rnm.py", {
        "name": "rnm", "paper": "hu", "does": "audit, calibrate, bound",
        "keys": "arms, rounds, adjacency, noise, scale"}),
    "studies": ("reproduction/kl/studies/attacks.py", {
        "name": "kl/tightness", "paper": "kl", "keys": "instances, seed"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", REGISTERED)
def test_listed_entries_have_their_paper_and_place(kind):
    file, fields = REGISTERED[kind]
    (listed,) = (e for e in listing.KINDS[kind]() if e["name"] == fields["name"])
    path, line = listed.pop("place").rsplit(":", 1)
    listed.pop("statement", None)
    assert (listed, path) == (fields, str(ROOT / "src/dpbandits" / file))
    lines = Path(path).read_text().splitlines()[int(line) - 1 :]
    assert lines[0].startswith('id = "HU-T8"' if file.endswith(".toml") else "@")
    assert any(fields["name"].rsplit("/")[-1] in text for text in lines[:3])


def test_figures_that_are_no_plots_of_claims_are_listed_with_their_own_place():
    (listed,) = (entry for entry in listing.KINDS["figures"]() if entry["name"] == "hu/fig1")
    assert listed["reads"] == "tables/hu/fig1.csv"
    assert "figures/regret.py" in listed["place"]


# --- compare, plot -------------------------------------------------------------------
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
def test_plot_of_regret_has_one_colour_per_algorithm(words, regret, tmp_path, capsys):
    if words == "end":
        regret[regret["t"] == 100].to_csv(tmp_path / "regret.csv", index=False)
    options = [word for word in words.split() if word != "end"]
    assert main(["plot", str(tmp_path / "regret.csv"), *options]) == 0
    curves = "2 curves over epsilon" if words == "end" else "4 curves over t"
    assert capsys.readouterr().out == f"{tmp_path}/regret.png: {curves}\n"
    canvas = plt.gcf()
    plt.close(canvas)
    if not words:
        picture = tmp_path / "elsewhere.png"
        assert main(["plot", str(tmp_path / "regret.csv"), "-o", str(picture)]) == 0
        plt.close()
        assert picture.is_file()
        assert main(["plot", str(ROOT / "pyproject.toml")]) == 2
    lines = canvas.axes[0].lines
    colours = {line.get_label().split(",")[0]: line.get_color() for line in lines}
    assert {"dp-se", "ucb1"} == colours.keys()
    assert all(line.get_color() == colours[line.get_label().split(",")[0]] for line in lines)
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines)
    assert len(canvas.axes[0].collections) == (0 if "none --log y" in words else len(lines))


HEADER = "algorithm,epsilon,seed,t,regret\n"


@pytest.mark.parametrize("command", ["plot FILE", "compare GOOD FILE", "compare FILE FILE"])
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"", "not a table"),
        ("x.csv", b"\x89PNG", "not a table"),
        ("x.parquet", HEADER.encode(), "not a table"),
        ("x.txt", b"some text", "no column algorithm"),
        ("x.csv", HEADER.encode(), "no rows"),
        ("x.csv", f"{HEADER}a,b,c,d,e\n".encode(), "epsilon = b, not a number"),
    ],
)
def test_file_that_simulate_did_not_write(
    command, name, content, message, regret, tmp_path, capsys
):
    (tmp_path / name).write_bytes(content)
    files = {"FILE": str(tmp_path / name), "GOOD": str(tmp_path / "regret.csv")}
    assert main([files.get(word, word) for word in command.split()]) == 2
    said = capsys.readouterr().err
    assert f"{name}: {message}" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["x", "x.txt", "x.jpg"])
def test_pictures_have_a_known_ending(name, regret, tmp_path, capsys):
    assert main(["plot", str(tmp_path / "regret.csv"), "-o", str(tmp_path / name)]) == 2
    assert "a name that ends in .png, .pdf, .svg" in capsys.readouterr().err
    assert not list(tmp_path.glob("x*"))


def test_compare_of_simulations_is_in_standard_errors(regret, tmp_path, capsys):
    """One cell is shifted by 0, 1 and 2, whose mean is 1; its means have standard errors."""
    old, new = str(tmp_path / "regret.csv"), str(tmp_path / "new.csv")
    shift = np.where(regret["algorithm"] == "dp-se", regret["seed"], 0)
    regret.assign(regret=regret["regret"] + shift).to_csv(new, index=False)
    assert main(["compare", old, new]) == 1
    said = capsys.readouterr().out
    assert "standard errors" in said
    assert "algorithm dp-se" in said
    assert main(["compare", old, old]) == 0
    assert main(["compare", old, str(tmp_path)]) == 2  # a file and a folder


def test_audit_prints_loss_and_delta_at_the_given_epsilons(capsys):
    """One release at scale 1/2 loses 2; delta(e) = 1 - e^((e - 2)/2)."""
    words = ["audit", "laplace", "--set", "scale=0.5"]
    assert main([*words, "--at-epsilon", "1.0,.5"]) == 0
    said = capsys.readouterr().out
    lines = [line.partition(":") for line in said.splitlines()]
    top = [key for key, *_ in lines if not key.startswith(" ")]
    assert top == ["pure_epsilon", "delta_at", "worst_neighbour", "method"]
    values = {key.strip(): value for key, _, value in lines}
    assert float(values["pure_epsilon"]) == pytest.approx(2)
    for e in ("1.0", ".5"):
        assert float(values[e]) == pytest.approx(1 - math.exp((float(e) - 2) / 2))
    assert not {"{", "}"} & set(said)
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["delta_at"] == {}
    for wrong in ("audit", "audit rnm --function m:f", "calibrate rnm --target-epsilon inf",
                  "calibrate rnm --target-epsilon 1 --target-delta 1"):  # fmt: skip
        assert main(wrong.split()) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_audit_has_the_claimed_epsilon_and_no_rounding_errors(capsys):
    words = ["audit", "rnm", "--set", "arms=2", "rounds=4", "scale=0.5", "adjacency=replace"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("claimed_epsilon: 2\npure_epsilon: ")
    assert audits.text_of([7.1e-15, [0, 0], [0, 0], 0.1 + 0.2]) == "0, 2 times [0, 0], 0.3"
    assert audits.lines_of({"a": {}, "b": {"c": 1e-15}, "d": ""}) == ["b:", "  c: 0"]
    assert audits.text_of([{"name": "Phi", "scale": 1.0}]) == "name Phi scale 1"


def test_help_of_simulate_names_the_keys_of_the_setting(capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "rnm-ftnl,usca", "--help"])
    said = capsys.readouterr().out
    assert "means          needed" in said
    assert "Keys of the setting of usca" in said


def test_name_that_begins_others_gets_them_all(capsys):
    assert main(["check", "KL-T1"]) == 2
    assert "did you mean KL-T1-pure or KL-T1-approx?" in capsys.readouterr().err


def completed(*words):
    """The completions that bash offers for the last of some words."""
    shell = f"{sys.executable} -m dpbandits"
    script = (
        f'dpbandits() {{ {shell} "$@"; }}; eval "$(dpbandits completion bash)"; COMP_WORDS=("$@"); '
        'COMP_CWORD=$(($# - 1)); _dpbandits; echo "${COMPREPLY[@]}"'
    )
    command = ["bash", "-c", script, "bash", *words]
    return subprocess.run(command, capture_output=True, text=True).stdout.split()


def test_completion_of_commands_options_and_names():
    assert completed("dpbandits", "ca") == ["calibrate"]
    assert completed("dpbandits", "refute", "KL-T1") == ["KL-T1-pure", "KL-T1-approx"]
    assert completed("dpbandits", "audit", "--at") == ["--at-alpha", "--at-epsilon"]
    assert completed("dpbandits", "list", "alg") == ["algorithms"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_scripts_of_other_shells(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert script.startswith("# in ~/.")
    assert "dpbandits completion words" in script


def test_check_gives_the_same_rows_outside_a_checkout(tmp_path, monkeypatch, capsys):
    """HU-T8 is judged without tables; Coq has checked its refutation."""
    rows = []
    for folder in (ROOT, tmp_path):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(tables, "up_to_date", lambda plan, paths: set())
        assert main(["check", "HU-T8", "--json"]) == 0
        rows.append(json.loads(capsys.readouterr().out))
    assert rows[0] == rows[1]
    assert rows[0][0]["method"] == "formal"
