"""Errors about wrong input, reading and writing of files, and the arithmetic of privacy losses."""

import math
from typing import Annotated

import numpy as np
import pandas as pd
import pytest
from pydantic import Field

import dpbandits as dp
from dpbandits.core import files, mechanisms
from dpbandits.core.errors import InputError
from dpbandits.core.models import Epsilon, Model, canonical, parse, shown
from dpbandits.reproduction.files import as_read, write_csv, write_parquet

# Input


class Inner(Model):
    depth: int = 1
    width: Annotated[float, Field(alias="w", gt=0)] = 2.0


class Outer(Model):
    name: str
    size: int
    inner: tuple[Inner, ...] = ()
    maybe: Inner | None = None
    rate: float = 1.0


def test_settings_are_frozen_and_have_a_canonical_text():
    outer = parse(Outer, {"size": 3, "name": "x", "inner": [{"w": 1}]}, "here")
    with pytest.raises(ValueError, match="frozen"):
        outer.size = 4
    assert canonical(outer) == (
        '{"inner":[{"depth":1,"width":1.0}],"maybe":null,"name":"x","rate":1.0,"size":3}'
    )
    assert shown("x" * 58) == '"' + "x" * 58 + '"'  # 60 characters stay
    assert shown("x" * 59) == '"' + "x" * 56 + "..."
    assert shown({1, 2}).startswith('"{1')


@pytest.mark.parametrize("wrong", ["0.7", "1", True, np.True_], ids=repr)
def test_texts_and_truth_values_are_no_numbers(wrong):
    data, sizes = ([0, 1], [1.0, 0.0]), {"d": 8, "arms": 2, "sparsity": 2, "b_max": 1.0}
    for call in (
        lambda: dp.run("ucb1", {"means": [wrong, 0.5]}, horizon=9, seeds=[0]),
        lambda: dp.audit("rnm", scale=wrong, arms=2, rounds=4),
        lambda: dp.policy("kl-mab", data, eta=wrong, beta0=1.0),
        lambda: dp.learner("ucb1", arms=2, contributions=wrong, allow_not_private=True),
        lambda: dp.learner("lazy-dp-ts", arms=2, epsilon=wrong),
        lambda: dp.choose(arms=2, epsilon=1.0, horizon=wrong),
        lambda: dp.calibrate("rnm", target_epsilon=wrong, arms=2, rounds=4),
        lambda: dp.policy("kl-rlhf", ([[1.0]], [1]), eta=1.0, beta0=1.0, radius=wrong),
        lambda: dp.learner("fliphat", epsilon=1.0, **sizes | {"sparsity": wrong}),
        lambda: parse(Outer, {"size": 3, "name": "x", "inner": [{"w": wrong}]}, "here"),
    ):
        with pytest.raises(InputError):
            call()


def test_numbers_of_numpy_and_lists_are_taken():
    given = {"size": np.int64(3), "name": "x", "inner": [{"w": np.float32(1)}], "rate": 2}
    outer = parse(Outer, given, "here")
    assert (outer.size, outer.inner[0].width, outer.rate) == (3, 1.0, 2.0)
    dp.run("ucb1", {"means": np.array([0.7, 0.5])}, horizon=9, seeds=[0])


class Private(Model):
    epsilon: Epsilon


def test_valid_epsilon():
    for right in (math.inf, 1e-100, 1, np.float32(0.5)):
        assert parse(Private, {"epsilon": right}, "here").epsilon == right
    for wrong in (0, -1, "tiny", "0.5", None, math.nan, True, [1], 9.9e-101):
        with pytest.raises(InputError):
            parse(Private, {"epsilon": wrong}, "here")


# Files


def test_interrupted_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "deep" / "table.csv"
    with files.atomic(path) as temporary:
        assert temporary.parent == path.parent
        temporary.write_text("whole")
        assert not path.exists()

    def interrupted():
        with files.atomic(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [p.read_text() for p in path.parent.iterdir()] == ["whole"]


def test_tables_have_six_digits(tmp_path):
    frame = pd.DataFrame({"epsilon": [math.inf, 1 / 3], "name": ["a", "b"], "n": [1, 2]})
    write_csv(frame, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"epsilon,name,n\ninf,a,1\n0.333333,b,2\n"
    read = files.read_table(tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read, as_read(frame))
    assert read["epsilon"].tolist() == [math.inf, 0.333333]
    write_parquet(frame, str(tmp_path / "t.parquet"))
    pd.testing.assert_frame_equal(files.read_table(str(tmp_path / "t.parquet")), frame)


# Losses


def test_delta_of_pure_loss():
    """(e^l - e^e)/(1 + e^l); at e = 0, l = ln 3: (3 - 1)/4."""
    assert mechanisms.delta_of_pure(math.log(3), 0.0) == pytest.approx(0.5, rel=1e-14)
    assert mechanisms.delta_of_pure(math.log(3), math.log(2)) == pytest.approx(0.25, rel=1e-14)
    assert mechanisms.delta_of_pure(1.0, 1.0) == mechanisms.delta_of_pure(1.0, 2.0) == 0.0
    assert mechanisms.delta_of_pure(math.inf, 5.0) == 1.0


def test_delta_of_approximate_privacy_at_other_epsilons():
    """At e below eps: 1 - (1 - delta) e^(e - eps)."""
    allowed = mechanisms.approximate(1.0, 0.1)
    assert (allowed(1.0), allowed(2.0)) == (0.1, 0.1)
    assert allowed(0.0) == pytest.approx(1 - 0.9 * math.exp(-1), rel=1e-14)


def test_comparison_has_printed_repaired_and_exact_values():
    loss = mechanisms.PrivacyLoss(0.3, {0.1: 0.05}, {}, "certified")
    comparison = mechanisms.compared(1.0, 0.5, loss, ("HU-X",))
    assert comparison.as_json() == {
        "pure_epsilon": {"printed": 1.0, "repaired": 0.5, "exact": 0.3},
        "delta_at": {
            "0.1": {
                "printed": mechanisms.delta_of_pure(1.0, 0.1),
                "repaired": mechanisms.delta_of_pure(0.5, 0.1),
                "exact": 0.05,
            }
        },
        "method": "certified",
        "claims": ["HU-X"],
    }
    promised = mechanisms.compared(math.inf, 0.5, loss, (), mechanisms.approximate(1.0, 0.2))
    assert promised.delta_at[0.1]["printed"] == 1 - 0.8 * math.exp(-0.9)
    assert promised.as_json()["pure_epsilon"]["printed"] == "inf"


def test_json_of_losses():
    values = (math.inf, 2, -0.0, {0.5: np.array([np.inf, 0.5])}, None, math)
    found = mechanisms.in_json(values)
    assert found == ["inf", 2, 0.0, {"0.5": ["inf", 0.5]}, None, str(math)]
    assert math.copysign(1, found[2]) == 1.0
    names = [mechanisms.named(x) for x in (1, 0.5, 1e-7, 1.0000000000000002, 10.0)]
    assert names == ["1", "0.5", "1e-07", "1.0000000000000002", "10"]
    loss = mechanisms.PrivacyLoss(math.inf, {1.0: 0.25}, {"theorem": "T"}, "bound")
    assert loss.as_json()["delta_at"] == {"1": 0.25}
    calibration = mechanisms.Calibration({"scale": 2.0}, loss, 0.5)
    assert calibration.as_json() == {
        "scale": 2.0, "audited_epsilon": 0.5, "method": "bound", "theorem": "T",
    }  # fmt: skip
