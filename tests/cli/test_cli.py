"""The `dpbandits` command: its outputs, and one line and exit code 2 for each wrong call."""

import pandas as pd
import pytest

from dpbandits.cli import main
from dpbandits.core.algorithms import run

GOOD = {
    "ALGORITHM": "anytime-lazy-ucb",
    "--setting": '{"means": [0.7, 0.5]}',
    "--epsilon": "1",
    "--horizon": "50",
    "--seeds": "3",
}


def simulate(tmp_path, **changes):
    """Call `simulate` with changed options (None leaves one out): exit code and output path."""
    output = tmp_path / "out.csv"
    options = GOOD | {"--output": str(output)} | changes
    name = options.pop("ALGORITHM")
    words = [word for key, value in options.items() if value is not None for word in (key, value)]
    return main(["simulate", name, *words]), output


def test_simulate_writes_its_columns_seeds_and_rounds(tmp_path):
    code, output = simulate(
        tmp_path, **{"ALGORITHM": "anytime-lazy-ucb,dp-se", "--epsilon": "0.5,inf", "--at": "9,50"}
    )
    assert code == 0
    table = pd.read_csv(output)
    assert list(table.columns) == ["algorithm", "epsilon", "seed", "t", "regret"]
    assert len(table) == 2 * 2 * 3 * 2
    assert list(table["t"].unique()) == [9, 50]
    assert output.read_text().splitlines()[1].startswith("anytime-lazy-ucb,0.5,0,9,")


def test_simulate_agrees_with_the_library(tmp_path):
    simulate(tmp_path, **{"--first-seed": "2", "--seeds": "1", "--at": "50"})
    result = run("anytime-lazy-ucb", {"means": [0.7, 0.5]}, 1.0, 50, range(4), [50])
    table = pd.read_csv(tmp_path / "out.csv")
    assert table["regret"][0] == pytest.approx(result.regret[2, 0], rel=1e-9)


def test_simulate_reads_a_setting_from_a_file(tmp_path):
    file = tmp_path / "setting.yaml"
    file.write_text("means: [0.7, 0.5]\n")
    code, first = simulate(tmp_path, **{"--setting": str(file)})
    assert code == 0
    text = first.read_text()
    simulate(tmp_path)
    assert first.read_text() == text


WRONG = [
    {"ALGORITHM": "anytime-lasy-ucb"},
    {"--epsilon": None},
    {"--horizon": "9.5"},
    {"--first-seed": "-1"},
    {"--at": "5,51"},
    {"--setting": '{"means": [0.7, 0.5], "mean": 1}'},
    {"--setting": '{"means": [0.7'},
    {"--output": "/nowhere/out.csv"},
    {"--epsilom": "1"},
]


@pytest.mark.parametrize("changes", WRONG, ids=str)
def test_wrong_option_of_simulate_gives_one_line_and_code_2(changes, tmp_path, capsys):
    code, _ = simulate(tmp_path, **changes)
    assert (code, capsys.readouterr().err.count("\n")) == (2, 1)
    assert not list(tmp_path.iterdir()), "a file was written"


@pytest.mark.parametrize("words", [
    [], ["check"], ["check", "HU-T99"], ["calibrate", "rnm"], ["compare", "nowhere", "nowhere"],
    ["compare", "docs", "README.md"], ["plot", "nowhere.csv"],
    ["audit", "--function", "math:fsum", "--at-epsilon", "1"],
    ["audit", "rnm", "--set", 'scale="2"', "arms=2", "rounds=4"],
    ["audit", "rnm", "--noise", "sampled", "--set", "scale=2", "arms=2", "rounds=4"],
], ids=str)  # fmt: skip
def test_wrong_call_of_another_command_gives_one_line_and_code_2(words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_compare_of_tables_reports_standard_errors(tmp_path, capsys):
    for folder, mean in (("old", 1.0), ("new", 1.3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text(f"t,mean,sem\n1,{mean},0.1\n")
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    assert main(["compare", old, old]) == 0
    assert main(["compare", old, new]) == 1
    assert "at most 2.1 standard errors" in capsys.readouterr().out


def test_compare_of_two_simulations(tmp_path, capsys):
    """Other seeds differ in standard errors; the same file does not; other settings are named."""
    old, new, other = (str(tmp_path / f"{name}.csv") for name in ("old", "new", "other"))
    simulate = ["simulate", "ucb1", "--engine", "plain", "--horizon", "20", "--seeds", "3"]
    simulate += ["--setting"]
    assert main([*simulate, '{"means": [0.7, 0.5]}', "-o", old]) == 0
    assert main([*simulate, '{"means": [0.7, 0.5]}', "-o", new, "--first-seed", "3"]) == 0
    assert main([*simulate, '{"means": [0.7, 0.6]}', "-o", other]) == 0
    capsys.readouterr()
    assert main(["compare", old, old]) == 0
    assert main(["compare", old, new]) == 1
    assert "standard errors" in capsys.readouterr().out
    assert main(["compare", old, other]) == 1
    assert "other settings" in capsys.readouterr().out


def test_fail_is_for_ci(capsys):
    words = ["audit", "--learner", "rnm-ftnl", "--fail", "--set", "epsilon=1", "horizon=3"]
    words.append("runs=0")  # what is suspected fails, too
    assert main(words) == 0
    assert main([*words, "variant=printed"]) == 1
    assert "not (1, 0)-DP" in capsys.readouterr().out
