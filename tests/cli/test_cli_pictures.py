"""`dpbandits plot` and `dpbandits compare`: from regret to pictures and paired verdicts."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli import main
from dpbandits.pipeline import pairs

SETTING = '{"means": [0.7, 0.5]}'


@pytest.fixture(scope="module")
def regret(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regret")
    call = ["simulate", "dp-se,adap-ucb", "--setting", SETTING, "--epsilon", "0.5,1"]
    call += ["--horizon", "2000", "--seeds", "6", "--output", str(folder / "regret.csv")]
    assert main(call) == 0
    return folder / "regret.csv"


def test_plot_writes_a_picture(regret, tmp_path, capsys):
    from matplotlib.image import imread

    for options in ([], ["--log", "xy", "--band", "spread"], ["--band", "none"]):
        picture = tmp_path / "regret.png"
        assert main(["plot", str(regret), "-o", str(picture), *options]) == 0
        assert "4 curves over t" in capsys.readouterr().out
        assert (imread(picture)[..., :3] < 0.9).any(axis=2).mean() > 0.01
    assert main(["plot", "pyproject.toml"]) == 2


def test_plot_over_epsilon(regret, tmp_path, capsys):
    table = pd.read_csv(regret)
    table[table["t"] == 2000].to_csv(tmp_path / "end.csv", index=False)
    assert main(["plot", str(tmp_path / "end.csv")]) == 0
    assert "2 curves over epsilon" in capsys.readouterr().out


def test_compare_pairs_the_seeds(regret, tmp_path, capsys):
    """A shift of half a round in every seed is far below the spread between seeds, yet certain."""
    table = pd.read_csv(regret)
    rng = np.random.default_rng(0)
    table["regret"] += np.where(table["t"] == 2000, 0.5 + 0.01 * rng.normal(size=len(table)), 0.0)
    table.to_csv(tmp_path / "new.csv", index=False)
    picture = tmp_path / "gap.png"
    assert main(["compare", str(regret), str(tmp_path / "new.csv"), "-o", str(picture)]) == 1
    said = capsys.readouterr().out
    assert said.count("differs") == 4
    assert picture.stat().st_size > 1000
    assert main(["compare", str(regret), str(regret)]) == 0
    assert "the same in every seed" in capsys.readouterr().out


def test_paired_differences_by_hand():
    old = pd.DataFrame({"algorithm": "a", "seed": [0, 1, 2], "t": 9, "regret": [1.0, 5.0, 9.0]})
    new = old.assign(regret=[2.0, 6.5, 9.5])
    row = pairs.paired(old, new.iloc[::-1]).iloc[0]
    assert row["difference"] == pytest.approx(1.0)
    assert row["sem"] == pytest.approx(0.5 / np.sqrt(3))  # of 1, 1.5, 0.5
    assert row["p"] == pytest.approx(0.0741799, rel=1e-5)  # t = 3.4641 with 2 degrees of freedom


def test_compare_against_a_commit(tmp_path, capsys):
    """With an algorithm of which nothing is compiled: the commit's sources have no machine code."""
    one = ["random-action", "--setting", '{"grid": 9}']
    code = main(["compare", "--against", "HEAD", *one, "--epsilon", "inf", "--horizon", "20"])
    if "not a git repository" in capsys.readouterr().err:
        pytest.skip("not a git checkout")
    assert code in (0, 1)
    assert main(["compare", "--against", "HEAD", "random-action"]) == 2
    assert main(["compare", "--against", "no-such-commit", *one]) == 2


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("dpbandits 0.")
