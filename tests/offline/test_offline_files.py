"""What is read of a user's files, and each refusal of them: file, row, column, what is allowed."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.errors import InputError
from dpbandits.offline.mechanisms import inputs, records
from dpbandits.offline.mechanisms.inputs import BanditParams, LinearParams, PreferenceParams

CONFIGURATION = {"eta": 0.5, "beta0": 1.0}


def frame(**columns):
    return pd.DataFrame(columns)


@pytest.mark.parametrize(("columns", "required", "optional", "says"), [
    (["b", "a"], ["a"], ("b",), None),
    (["a"], ["a", "b"], (), "column 'b' is missing; the file has: a"),
    (["a", "c"], ["a"], ("b",), "unknown column 'c'"),
    (["a", "a"], ["a"], (), "column 'a' stands there twice"),
])  # fmt: skip
def test_columns(columns, required, optional, says):
    table = pd.DataFrame([[1] * len(columns)], columns=columns)
    with pytest.raises(InputError, match=says) if says else nullcontext():
        records.check_columns(table, "f", required, optional)


REFUSED = [
    (records.numbers, ({"x": ["1", "inf"]}, "x"), "row 2, column 'x' = inf; allowed: a finite"),
    (records.numbers, ({"x": ["1", "y"]}, "x"), "row 2, column 'x' = y; allowed: a finite"),
    (records.numbers, ({"x": [1, None]}, "x"), "row 2, column 'x'"),
    (records.whole, ({"x": [0, -1]}, "x", None), "row 2, column 'x' = -1"),
    (records.between, ({"x": [0, 2.5, 3]}, "x", 0.0, 2.0), "row 2, .*= 2.5; .* from 0 to 2"),
    (records.between, ({"x": [-0.1]}, "x", 0.0, 2.0), "row 1"),
    (records.whole, ({"x": [0, 1.5]}, "x", None), "row 2.*a whole number from 0 to K-1"),
    (records.whole, ({"x": [0, 3]}, "x", 2), "row 2.*a whole number from 0 to 2"),
    (records.whole, ({"x": [records.MOST_ARMS + 1]}, "x", None), "row 1"),
    (records.weights, ({"weight": [1, -1]},), "row 2, column 'weight' = -1"),
    (records.weights, ({"weight": [0, 0]},), "all are 0"),
    (records.places, ({"x": ["a", "c"]}, "x", ["a", "b"]), "row 2.*one of a, b"),
    (records.vectors, ({"x1": [0.6, 0.6], "x2": [0.8, 0.81]}, ["x1", "x2"], 1.0),
     "row 2, columns x1..x2: norm 1.008"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_values_are_refused(case):
    read, (columns, *more), says = case
    with pytest.raises(InputError, match=says):
        read(frame(**columns), "f", *more)


LONG = 1 + 0.9 * records.ROUNDING
READ = [
    (records.between, ({"x": [0, 2]}, "x", 0.0, 2.0), [0, 2]),
    (records.whole, ({"x": [0, 2]}, "x", 2), [0, 2]),
    (records.whole, ({"x": [records.MOST_ARMS]}, "x", None), [records.MOST_ARMS]),
    (records.weights, ({"weight": [0, 2]},), [0, 2]),
    (records.vectors, ({"x1": [LONG]}, ["x1"], 1.0), [[LONG]]),
    (records.vectors, ({"x1": [-2.0]}, ["x1"], 2.0), [[-2.0]]),
    (records.places, ({"x": [" b", "a"]}, "x", ["a", "b"]), [1, 0]),
]


@pytest.mark.parametrize("case", READ)
def test_good_values_are_read(case):
    read, (columns, *more), values = case
    assert read(frame(**columns), "f", *more).tolist() == values


@pytest.mark.parametrize(
    ("arms", "names"),
    [([" b ", "a", "b"], ["b", "a"]), (["b", "1"], []), (["b", None], []), ([0, 1], [])],
)
def test_names_of_arms_are_texts(arms, names):
    assert records.names(frame(arm=arms), "arm") == names


@pytest.mark.parametrize(
    ("names", "says"),
    [(["y"], "columns x1..xd are missing"), (["x2"], "'x1' is missing .there is 'x2'"),
     (["x1", "x4", "x3"], "'x2' is missing .there is 'x4'"), (["x0", "x01"], "are missing")],
)  # fmt: skip
def test_vector_columns_that_are_missing(names, says):
    with pytest.raises(InputError, match=says):
        records.vector_columns(frame(**{name: [1] for name in names}), "f")


def test_vector_columns_are_in_the_order_of_their_numbers():
    names = [f"x{i}" for i in range(1, 11)]
    assert records.vector_columns(frame(**{name: [1] for name in sorted(names)}), "f") == names


@pytest.mark.parametrize(("text", "says"), [
    ("", "the file is empty"),
    ("a,b\n", "no records"),
    ("a,b\n1,2,3\n", "more fields than the header"),
    ('a,b\n1,"2\n', "not a CSV table"),
])  # fmt: skip
def test_files_that_are_no_tables(text, says, file):
    with pytest.raises(InputError, match=says):
        records.read_csv(file(text), "data")


def test_paths_that_are_no_files(tmp_path):
    for path, says in (("", "--data: a CSV file is required"), (str(tmp_path), "no such file")):
        with pytest.raises(InputError, match=says):
            records.read_csv(path, "data")


def test_spaces_around_fields_do_not_count(file):
    read = records.read_csv(file(" a , b\n 1, 2\n"), "data")
    assert list(read.columns) == ["a", "b"]
    assert read.to_numpy().tolist() == [[1, 2]]


# --- arms -------------------------------------------------------------------------------------
def read_bandit(file, text, reference="", **more):
    reference = file(reference, "reference.csv") if reference else ""
    keys = CONFIGURATION | {"data": file(text), "reference": reference} | more
    return inputs.read_bandit(BanditParams(**keys))


READ_ARMS = [  # file, reference; names, arms, pi0
    ("0,1\n2,0.5\n", "", [], [0, 2], [1 / 3] * 3),
    ("0,1\n", "2,1\n0,3\n1,0\n", [], [0], [0.75, 0, 0.25]),
    ("b,1\na,0\nb,0\n", "", ["b", "a"], [0, 1, 0], [0.5, 0.5]),
    ("b,1\n", "a,1\nb,3\n", ["a", "b"], [1], [0.25, 0.75]),
]


@pytest.mark.parametrize("case", READ_ARMS)
def test_arms_and_their_reference(case, file):
    text, reference, names, arms, pi0 = case
    read = read_bandit(file, f"arm,reward\n{text}", reference and f"arm,weight\n{reference}")
    assert (read.names, read.arms.tolist()) == (names, arms)
    assert np.exp(read.log_reference) == pytest.approx(pi0)
    assert read.data.counts.tolist() == np.bincount(arms, minlength=len(pi0)).tolist()
    assert read.rewards.tolist() == [float(line.split(",")[1]) for line in text.splitlines()]


@pytest.mark.parametrize(("text", "reference", "says"), [
    ("arm,reward\n0,1\n", "arm,weight\n0,1\n0,1\n", "row 2, .*each arm once"),
    ("arm,reward\n0,1\n", "arm,weight\n0,1\n2,1\n", "row 2, .*whole number from 0 to 1"),
    ("arm,reward\n2,1\n", "arm,weight\n0,1\n1,1\n", "row 1, .*whole number from 0 to 1"),
    ("arm,reward\nc,1\n", "arm,weight\na,1\nb,1\n", "one of a, b"),
    ("arm,reward\n0,1.5\n", "", "from 0 to 1"),
    ("arm,reward,x\n0,1,1\n", "", "unknown column"),
    ("arm,reward\n0,1\n", "arm,weights\n0,1\n", "'weight' is missing"),
])  # fmt: skip
def test_arms_that_are_refused(file, text, reference, says):
    with pytest.raises(InputError, match=says):
        read_bandit(file, text, reference)


# --- vectors ----------------------------------------------------------------------------------
@pytest.fixture
def keys(file):
    actions = file("x1,x2,weight\n1,0,1\n0,1,3\n", "actions.csv")
    return CONFIGURATION | {"actions": actions, "lambda": 0.5}


def test_linear_files(file, keys):
    data = file("x1,x2,reward\n1,0,2\n0,0.5,0.25\n")
    audit = inputs.read_linear(LinearParams(data=data, reward_max=2, **keys))
    assert audit.features.tolist() == [[1, 0], [0, 0.5]]
    assert audit.rewards.tolist() == [2, 0.25]
    assert np.exp(audit.log_reference) == pytest.approx([0.25, 0.75])
    assert (audit.eta, audit.beta0, audit.penalty, audit.reward_max) == (0.5, 1, 0.5, 2)


def test_preference_files(file, keys):
    data = file("x1,x2,label\n2,0,1\n0,0.5,0\n")
    audit = inputs.read_preferences(PreferenceParams(data=data, B=1, **keys))
    assert audit.data.signed.tolist() == [[2, 0], [0, -0.5]]
    assert (audit.eta, audit.beta0, audit.penalty, audit.radius) == (0.5, 1, 0.5, 1)
    for text, says in (("2,0,0.5", "row 1, column 'label' = 0.5"), ("2.01,0,1", "norm 2.01; .*2$")):
        data = file(f"x1,x2,label\n{text}\n")
        with pytest.raises(InputError, match=says):
            inputs.read_preferences(PreferenceParams(data=data, B=1, **keys))


def test_action_files(file):
    _, log_reference = inputs.read_actions(file("x1\n1\n-1\n0\n"), 1)
    assert np.exp(log_reference) == pytest.approx([1 / 3] * 3)
    for text, says in (("x1\n1\n", "1 columns x1..xd; allowed: 2"), ("x1,x2\n1,1\n", "norm 1.41")):
        with pytest.raises(InputError, match=says):
            inputs.read_actions(file(text), 2)


def test_a_penalty_is_lost_below_a_hundred_thousand_roundings():
    """One record e1 in the plane leaves e2 to lambda; the trace is 4, so the least is
    1e5 * 2^-53 * 2 * 4; with e2 covered twice no lambda is needed there."""
    x, least = np.array([[2.0, 0.0]]), 1e5 * 2.0**-53 * 8
    inputs.refuse_lost_penalty("f", x, 1.001 * least)
    with pytest.raises(InputError, match=r"lambda = 8.8.*: at least 9e-11"):
        inputs.refuse_lost_penalty("f", x, 0.999 * least)
    covered = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    inputs.refuse_lost_penalty("f", covered, 1e-50)
    with pytest.raises(InputError):  # without one of them nothing is left of its direction
        inputs.refuse_lost_penalty("f", covered[:3], 1e-50)
    with pytest.raises(InputError):  # the longest of them is all that there is
        inputs.refuse_lost_penalty("f", np.array([[1.0], [1e-7]]), 1e-13)


def test_kinds_of_neighbours_are_a_comma_list():
    assert inputs.kinds_of("add, remove,", ("remove", "add")) == ("add", "remove")
    with pytest.raises(InputError, match="none given"):
        inputs.kinds_of("", ("remove", "add"))
