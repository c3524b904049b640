"""Two simulations compared seed by seed.

By hand: differences 1, 1.5, 0.5 have mean 1, variance 1/4 and standard error sqrt(1/12) = 0.288675;
times the 97.5% quantile 4.302653 of Student's t with 2 degrees of freedom this is 1.242070.
"""

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.files import write_csv
from dpbandits.reproduction.pipeline.compare_seeds import at_the_end, in_words, paired, per_seed


def frame(values, **labels):
    return pd.DataFrame({"seed": range(len(values)), "regret": values}).assign(**labels)


def conclusion(old, new) -> str:
    """The last part of the line on two runs of one cell."""
    (line,) = in_words(paired(frame(old, t=1), frame(new, t=1)))
    return line.rpartition(", ")[2]


def test_paired_differences_by_hand():
    """Seeds and cells of one run alone do not count; equal runs have p = 1."""
    same = frame([3.0, 4.0], algorithm="b", t=9)
    old = pd.concat([frame([1.0, 5.0, 9.0, 7.0], algorithm="a", t=9), same])
    only_in_new = frame([1.0], algorithm="c", t=9)
    new = pd.concat([frame([2.0, 6.5, 9.5], algorithm="a", t=9), same, only_in_new])
    table = paired(old, new)
    assert list(table["algorithm"]) == ["a", "b"]
    first, second = table.to_dict("records")
    assert (first["seeds"], first["old"], first["new"]) == (3, 5.0, 6.0)
    assert (first["low"], first["high"]) == pytest.approx((1 - 1.24207, 1 + 1.24207), rel=1e-5)
    assert (second["difference"], second["low"], second["high"], second["p"]) == (0, 0, 0, 1)
    assert in_words(table) == [
        "a 9: 5 -> 6, +1 [-0.2421, +2.242] over 3 seeds, p = 0.074: no difference seen",
        "b 9: 3.5 -> 3.5, +0 [+0, +0] over 2 seeds, the same in every seed",
    ]


def test_two_seeds_and_one():
    """With 1 degree of freedom P(|T| > 3) = 1 - 2 arctan(3)/pi and 97.5% are below 12.7062."""
    row = paired(frame([1.0, 5.0], t=1), frame([2.0, 7.0], t=1)).iloc[0]
    assert row["p"] == pytest.approx(1 - 2 * np.arctan(3) / np.pi)
    assert row["high"] == pytest.approx(1.5 + 12.7062 / 2, rel=1e-5)
    assert np.isnan(paired(frame([1.0], t=2.5), frame([2.0], t=2.5)).iloc[0]["sem"])


def test_conclusions():
    """A cell differs if p times the number of cells is below 0.01."""
    assert conclusion([1.0, 5.0, 8.0], [2.0, 6.0, 9.001]) == "p = 1.1e-07: differs"
    assert conclusion([1.0, 5.0], [2.0, 6.0]) == "p = 0: differs"  # the same change in every seed
    assert conclusion([1.0, 5.0], [2.0, 4.0]) == "p = 1: no difference seen"
    row = paired(frame([1.0, 5.0, 8.0], t=0.5), frame([2.0, 6.0, 9.001], t=0.5)).iloc[0].to_dict()
    for p, cells, differs in ((0.01, 1, False), (0.004, 2, True), (0.004, 3, False)):
        line = in_words(pd.DataFrame([row | {"p": p}] * cells))[0]
        assert line.startswith("0.5: ")
        assert line.endswith("differs") == differs


def test_cells_keep_their_order_and_missing_labels():
    """Columns of one run alone do not distinguish cells."""
    old = pd.concat([frame([1.0, 2.0], a="z", x=np.nan), frame([1.0, 2.0], a="b", x=1.0)])
    cells = paired(old.assign(extra=1), old.assign(t=3))
    assert cells["a"].tolist() == ["z", "b"]
    assert cells["seeds"].tolist() == [2, 2]


def test_last_round_of_each_cell():
    table = pd.DataFrame(
        {
            "algorithm": ["a", "a", "b", "b"],
            "metric": ["regret", "regret", "regret", "pulls"],
            "x": np.nan,
            "t": [5, 9, 4, 9],
            "seeds": 2,
        }
    )
    assert at_the_end(table).index.tolist() == [1, 2]
    assert at_the_end(table.drop(columns="metric")).index.tolist() == [1, 3]


def test_values_per_seed_of_a_file_or_of_results(tmp_path):
    write_csv(frame([1.0], t=3, algorithm="a", epsilon=1), tmp_path / "x.csv")
    assert per_seed(tmp_path / "x.csv")["regret"].tolist() == [1.0]
    assert per_seed(tmp_path) is None
    for name, value in (("hu/fig1/a/0", 1.0), ("hu/fig2/a/0", 2.0)):
        path = tmp_path / f"simulations/{name}.parquet"
        path.parent.mkdir(parents=True)
        frame([value], t=3).to_parquet(path)
    (tmp_path / "studies").mkdir()
    frame([9.0], t=3).to_parquet(tmp_path / "studies/0.parquet")
    values = per_seed(tmp_path)
    assert values.index.tolist() == [0, 1]
    assert values["experiment"].tolist() == ["hu/fig1", "hu/fig2"]
    assert values["regret"].tolist() == [1.0, 2.0]
