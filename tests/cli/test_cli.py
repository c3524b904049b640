"""The `dpbandits` command: its outputs, and one line and exit code 2 for each wrong call."""

import json

import pandas as pd
import pytest

from dpbandits.cli import main
from dpbandits.core.algorithms import run
from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS
from dpbandits.reproduction.pipeline import tables

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


def test_simulate_reports_progress_and_a_summary(tmp_path, capsys):
    small = {"--setting": '{"grid": 5}', "--horizon": "40", "--seeds": "2", "--at": "40"}
    assert simulate(tmp_path, ALGORITHM="usca,random-action", **small)[0] == 0
    first, second, *summary = capsys.readouterr().err.splitlines()
    assert (first, second) == ("[1/2] usca at epsilon 1", "[2/2] random-action at epsilon inf")
    assert [line.split(" at ")[0] for line in summary] == ["usca", "random-action"]
    assert all("at t = 40, 2 seeds" in line for line in summary)


def test_repeated_names_and_numbers_count_once(tmp_path):
    repeated = {"ALGORITHM": "dp-se,dp-se", "--epsilon": "0.5,.5", "--seeds": "1", "--at": "50,50"}
    code, output = simulate(tmp_path, **repeated)
    assert code == 0
    assert len(pd.read_csv(output)) == 1


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


def test_default_checkpoints_end_in_the_horizon(tmp_path):
    simulate(tmp_path, **{"--horizon": "1e4"})
    rounds = pd.read_csv(tmp_path / "out.csv")["t"]
    assert rounds.max() == 10_000
    assert 40 <= rounds.nunique() <= 50


WRONG = {
    "unknown algorithm": ({"ALGORITHM": "anytime-lasy-ucb"}, "did you mean 'anytime-lazy-ucb'"),
    "empty algorithm": ({"ALGORITHM": "dp-se,"}, "separated by commas"),
    "epsilon 0": ({"--epsilon": "0"}, "above 0"),
    "epsilon too small": ({"--epsilon": "1e-308"}, "from 1e-100, or inf"),
    "epsilon missing": ({"--epsilon": None}, "--epsilon is required"),
    "horizon 0": ({"--horizon": "0"}, "whole number from 1"),
    "horizon too long": ({"--horizon": "9007199254740994"}, "whole number from 1 to 2^53"),
    "horizon missing": ({"--horizon": None}, "required: --horizon"),
    "no seeds": ({"--seeds": "0"}, "whole number from 1"),
    "negative first seed": ({"--first-seed": "-1"}, "whole number from 0"),
    "checkpoint past T": ({"--at": "5,51"}, "1 to the horizon 50"),
    "checkpoint 0": ({"--at": "0"}, "whole number from 1"),
    "mean above 1": ({"--setting": '{"means": [1.2, 0.5]}'}, "less than or equal to 1"),
    "mean nan": ({"--setting": '{"means": [NaN, 0.5]}'}, "finite number"),
    "one arm": ({"--setting": '{"means": [0.5]}'}, "at least 2"),
    "unknown key": ({"--setting": '{"means": [0.7, 0.5], "mean": 1}'}, "did you mean 'means'"),
    "no key": ({"--setting": "{}"}, "required"),
    "a list": ({"--setting": "[0.7, 0.5]"}, "key-value pairs"),
    "bad JSON": ({"--setting": '{"means": [0.7'}, "not valid JSON"),
    "no file": ({"--setting": "nowhere.json"}, "no such file"),
    "empty setting": ({"--setting": ""}, "setting: empty; allowed: a value"),
    "a folder": ({"--setting": "docs"}, "docs: allowed: a file"),
    "a picture": ({"--setting": "docs/promised.png"}, "promised.png: cannot be read"),
    "no CSV": ({"--output": "regret.parquet"}, "ends in .csv"),
    "no folder": ({"--output": "/nowhere/out.csv"}, "a folder that exists"),
    "unknown option": ({"--epsilom": "1"}, "--epsilom"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_option_of_simulate_gives_one_line_and_code_2(name, tmp_path, capsys):
    changes, expected = WRONG[name]
    code, _ = simulate(tmp_path, **changes)
    lines = capsys.readouterr().err.splitlines()
    assert code == 2
    assert len(lines) == 1
    assert lines[0].startswith("dpbandits: ")
    assert expected in lines[0]
    assert not list(tmp_path.iterdir()), "a file was written"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "COMMAND"),
        (["check"], "CLAIM_ID"),
        (["check", "HU-T99"], "unknown claim"),
        (["calibrate", "rnm"], "--target-epsilon"),
        (["compare", "nowhere", "nowhere"], "no such folder"),
        (["compare", "docs", "README.md"], "two folders, or two files"),
        (["plot", "nowhere.csv"], "`dpbandits simulate` makes it"),
        (["verify", "nowhere"], "no such folder or file"),
        (["verify", "docs", "--tables", "hu/fig1"], "with an archive"),
        (["verify", "docs", "--cores", "2"], "with an archive"),
        (["list", "algorithms", "--figure", "hu/fig1"], "with claims"),
        (["list", "claims", "--claim", "HU-T8"], "with figures"),
        (["list", "--severity", "step", "--claim", "HU-T8"], "without --figure and --claim"),
        (["audit", "rnm", "--set", "scale=2,arms=2"], "with spaces between: --set a=1 b=2"),
        (["audit", "--function", "math:fsum", "--at-epsilon", "1"], "not with --function"),
        (["new", "study", "A"], "small letters, digits and _"),
        (["new", "algorithm", "a"], "--paper is required: allowed: "),
        (["completion", "tcsh"], "allowed: bash, fish, zsh\n"),
    ],
)
def test_wrong_call_of_another_command_gives_one_line_and_code_2(words, expected, capsys):
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert expected in message


@pytest.mark.parametrize("name", sorted(MECHANISMS.all()))
def test_help_of_a_mechanism_lists_all_keys(name, capsys):
    registries = {"audit": MECHANISMS, "bound": BOUNDS, "calibrate": CALIBRATORS}
    for command, registry in registries.items():
        if name not in registry.all():
            continue
        with pytest.raises(SystemExit):
            main([command, name.upper(), "--help"])
        title, *lines = capsys.readouterr().out.splitlines()
        assert title.startswith(f"Keys of {name.upper()}: ")
        fields = registry.get(name).params.model_fields
        assert [line.split()[0] for line in lines] == [f.alias or k for k, f in fields.items()]
        for line, field in zip(lines, fields.values(), strict=True):
            default = "needed" if field.is_required() else f"default {field.get_default()!r}"
            assert field.description in line
            assert line.endswith(default)


def test_all_missing_keys_of_a_mechanism_are_named(capsys):
    assert main(["audit", "rnm", "--set", "noise=gumbel"]) == 2
    assert "required: arms, rounds, adjacency, scale" in capsys.readouterr().err


def test_names_are_case_insensitive(tmp_path, capsys):
    assert main(["refute", "kl-t1-APPROX"]) == 0
    assert capsys.readouterr().out.startswith("KL-T1-approx")
    assert main(["list", "figures", "--claim", "hu-t8"]) == 0
    assert "hu/claims/HU-T8" in capsys.readouterr().out
    assert simulate(tmp_path, ALGORITHM="DP-SE")[0] == 0
    assert set(pd.read_csv(tmp_path / "out.csv")["algorithm"]) == {"dp-se"}


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["lst"], "list"),
        (["list", "claim"], "claims"),
        (["list", "--paper", "hhu"], "hu"),
        (["list", "--figure", "HU/fig11"], "hu/fig1"),
        (["list", "--claim", "hu-t22"], "HU-T2"),
        (["check", "hu-t22"], "HU-T2"),
        (["refute", "HU-t88"], "HU-T8"),
        (["draw", "hu/fog1"], "hu/fig1"),
        (["audit", "rnn"], "rnm"),
        (["audit", "rnm", "--set", "scle=1"], "scale"),
        (["bound", "kl-mob"], "kl-mab"),
        (["calibrate", "rmn", "--target-epsilon", "1"], "rnm"),
        (["new", "algoritm", "x"], "algorithm"),
        (["test", "hux"], "hu"),
    ],
)
def test_misspelt_name_gets_a_suggestion(words, hint, capsys):
    assert main(words) == 2
    message = capsys.readouterr().err
    assert f"did you mean '{hint}'?" in message
    assert len(message) < 250  # a long list of names is replaced by the command that prints it


def test_claims_of_one_call_share_their_tables(monkeypatch, capsys):
    """A table that is not up to date is computed once for all claims."""
    computed = []

    def golden_table(plan, paper, name, ready):
        computed.append(name)
        return pd.read_csv(f"tests/golden/{paper}/{name}.csv")

    monkeypatch.setattr(tables, "table", golden_table)
    monkeypatch.setattr(tables, "up_to_date", lambda plan, paths: set())
    assert main(["check", "HU-C10a", "HU-C11", "--json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["HU-C10a", "HU-C11"]
    assert computed == ["full_information"]


def test_compare_of_tables_reports_standard_errors(tmp_path, capsys):
    for folder, mean in (("old", 1.0), ("new", 1.3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text(f"t,mean,sem\n1,{mean},0.1\n")
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    assert main(["compare", old, old]) == 0
    assert main(["compare", old, new]) == 1
    assert "at most 2.1 standard errors" in capsys.readouterr().out


def test_compare_of_empty_folders_says_that_nothing_is_compared(tmp_path, capsys):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    assert "Nothing is compared: neither folder has a file" in capsys.readouterr().out


def test_audit_keeps_the_spelling_of_each_epsilon(capsys):
    """Also if two agree in six digits."""
    typed = ["1.0", "0.5", "0.12345671", "0.12345672"]
    words = ["audit", "laplace", "--set", "scale=0.5", "--json"]
    assert main([*words, "--at-epsilon", ",".join(typed)]) == 0
    deltas = json.loads(capsys.readouterr().out)["delta_at"]
    assert list(deltas) == typed
    assert deltas["0.12345671"] > deltas["0.12345672"]


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


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("dpbandits 0.")
