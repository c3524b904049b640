"""Auditing a user's own function: never above the truth, and not blind to continuous outcomes."""

import json
import math
import sys

import numpy as np
import pytest
from flint import arb

from dpbandits.audit.blackbox import detectable, log_ratio, lower_bound
from dpbandits.audit.function import FunctionParams, audit_function, load, neighbours_of
from dpbandits.audit.laplace import single_delta
from dpbandits.cli import main
from dpbandits.core.errors import InputError


def noisy_sum(data, generator):
    return sum(data) + generator.laplace()


def vector(data, generator):
    return sum(data) + generator.laplace(), generator.normal(), "left" if sum(data) % 2 else "right"


def named_winner(data, generator):
    votes = np.array([sum(data), len(data) - sum(data)]) + generator.laplace(scale=2.0, size=2)
    return ("yes", "no")[int(np.argmax(votes))]


def leaks_rarely(data, generator):
    return data if generator.random() < 0.05 else None


def philox(seed):
    return np.random.Generator(np.random.Philox(seed))


def test_continuous_outcomes_are_not_blind():
    """Laplace noise of scale 1: the truth is 1; at confidence 1 - 1e-6 never above it."""
    found = audit_function(noisy_sum, FunctionParams(data=[0, 1, 1], runs=40_000))
    assert 0.8 < found.epsilon <= 1.0
    assert not found.refuted
    assert "outcome in (" in found.event
    assert found.neighbours_tried == 5  # two distinct removals, three replacements


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_the_bound_on_numbers_stays_below_the_exact_loss(delta):
    """20 audits of a Laplace shift of 1.5 at confidence 0.99: 4 or more errors have p < 1e-4."""
    exact = next(e for e in np.linspace(0, 1.5, 1501) if float(single_delta(1.5, arb(e))) <= delta)
    bounds = []
    for trial in range(20):
        generator = philox(trial)
        first, second = generator.laplace(size=20_000), 1.5 + generator.laplace(size=20_000)
        bounds.append(lower_bound(first, second, delta=delta, confidence=0.99).epsilon)
    assert sum(bound > exact for bound in bounds) < 4
    assert np.median(bounds) > 0.7 * exact


def test_equal_continuous_laws_are_not_told_apart():
    for seed in range(5):
        first, second = philox(seed).normal(size=(2, 5000))
        assert lower_bound(first, second).epsilon == 0.0
        first, second = philox(seed).normal(size=(2, 3000, 3))
        assert lower_bound(first, second).epsilon == 0.0


def test_vectors_with_texts_in_them():
    """The parity of the sum is told in words: nothing private about it."""
    found = audit_function(vector, FunctionParams(data=[1, 0], runs=4000))
    assert found.refuted
    assert found.epsilon > 3


def test_texts_and_lists_are_outcomes_too():
    winner = audit_function(named_winner, FunctionParams(data=[0, 1, 1], runs=20_000))
    assert 0 < winner.epsilon <= 1.0  # Laplace(2) under replacement
    assert winner.event in ("yes", "no")
    rare = audit_function(leaks_rarely, FunctionParams(data=[0, 1], neighbour=[1, 1]))
    assert rare.refuted
    allowed = FunctionParams(data=[0, 1], neighbour=[1, 1], delta=0.06)
    assert audit_function(leaks_rarely, allowed).epsilon == 0.0
    with pytest.raises(InputError, match="different texts"):
        lower_bound([f"{i}" for i in range(900)], [f"x{i}" for i in range(900)])


def test_a_result_that_is_not_a_number_is_an_outcome():
    first = np.where(philox(1).random(4000) < 0.5, np.nan, philox(2).normal(size=4000))
    second = philox(3).normal(size=4000)
    assert lower_bound(first, second).epsilon > 2


def test_neighbours_are_searched_where_they_matter():
    """Only the first record is read: the search must change it, whatever the others are."""

    def first_only(data, generator):
        return data[0] + generator.laplace(scale=0.2)

    found = audit_function(first_only, FunctionParams(data=[0, 0, 0], values=[0, 1]))
    assert found.neighbour[0] == 1
    assert found.epsilon > 3
    assert neighbours_of([0, 1]) == [[1], [0], [1, 1], [0, 0]]
    assert len(neighbours_of(["a", "a"], ["b", "c"])) == 1 + 4


@pytest.mark.parametrize(("runs", "pilot"), [(3000, 300), (500, 100)])
def test_a_search_spends_a_tenth_of_the_runs_on_each_neighbour(runs, pilot):
    """Two removals and two replacements; each is run on both data sets, then the best again."""
    calls = []

    def constant(data, generator):
        calls.append(data)
        return 0

    found = audit_function(constant, FunctionParams(data=[0, 1], runs=runs))
    assert found.neighbours_tried == 4
    assert len(calls) == 2 * (4 * pilot + runs)
    assert (found.epsilon, found.refuted) == (0.0, False)
    calls.clear()
    audit_function(constant, FunctionParams(data=[0, 1], neighbour=[0], runs=runs))
    assert len(calls) == 2 * runs


def test_runs_follow_the_seed_and_nothing_else():
    keys = {"data": [0, 1, 1], "runs": 4000}
    first, again, other = (
        audit_function(noisy_sum, FunctionParams(**keys, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_power_is_what_it_says():
    """At the detectable loss, randomised response is refuted in 90% of 200 audits, up to 5 standard
    errors: fails by chance below 1e-6. A bound from these runs never exceeds the largest."""
    runs, epsilon, confidence = 2000, 0.5, 0.99
    loss = detectable(epsilon, 0.0, runs, confidence)
    assert epsilon < loss < 1.5
    right, refuted = 1 / (1 + math.exp(-loss)), 0
    for trial in range(200):
        generator = philox(trial)
        first, second = generator.random(runs) < right, generator.random(runs) > right
        refuted += lower_bound(first, second, confidence=confidence).epsilon > epsilon
    assert refuted / 200 > 0.9 - 5 * math.sqrt(0.9 * 0.1 / 200)
    assert detectable(20.0, 0.0, runs) == math.inf
    certain = lower_bound(np.zeros(runs, int), np.ones(runs, int), confidence=confidence)
    assert certain.epsilon == log_ratio(1000, 0, 1000, 0.0, 0.01 / 4)


@pytest.fixture
def mechanism_file(tmp_path, monkeypatch):
    (tmp_path / "my_mechanism.py").write_text(
        "def answer(data, generator):\n    return sum(data) + generator.laplace(scale=0.25)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_from_the_command_line(mechanism_file, capsys):
    keys = ["--set", "data=[0, 1]", "runs=4000", "--json"]
    assert main(["audit", "--function", "my_mechanism:answer", *keys]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["refuted"] is True
    assert 2 < found["epsilon"] <= 4
    few = ["--set", "data=[0, 1]", "runs=100", "epsilon=9", "--json"]
    assert main(["audit", "--function", "my_mechanism:answer", *few]) == 0
    assert json.loads(capsys.readouterr().out)["detectable"] == "inf"
    assert {"confidence", "largest_provable", "detectable", "neighbour", "event"} <= set(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--function", "my_mechanism:answr", "--set", "data=[0]"], "did you mean 'answer'"),
        (["--function", "my_mechanism", "--set", "data=[0]"], "package.module:function"),
        (["--function", "no_such_module:f", "--set", "data=[0]"], "no module named"),
        (["--function", "my_mechanism:answer"], "data: this key is required"),
        (["--function", "my_mechanism:answer", "--set", "data=0,1"], "JSON list"),
        (["--function", "my_mechanism:answer", "rnm"], "a MECHANISM, or --function"),
        ([], "a MECHANISM, or --function"),
        (["rnm"], "arms, rounds, adjacency, scale"),
    ],
)
def test_wrong_calls_say_what_is_allowed(mechanism_file, capsys, arguments, said):
    assert main(["audit", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_help_lists_the_keys_of_a_mechanism(capsys):
    for arguments, lines in (
        (
            ["audit", "rnm", "--help"],
            ["laplace | exponential | gumbel; default 'laplace'", "rounds"],
        ),
        (["audit", "peeling", "-h"], ["lambda", "coordinates that are selected", "needed"]),
        (["calibrate", "laplace", "--help"], ["releases", "default 1"]),
        (["audit", "--help"], ["--function", "the records, as JSON"]),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        shown = capsys.readouterr().out
        assert all(line in shown for line in lines)


def test_load_finds_functions_only():
    assert load("math:sqrt") is math.sqrt
    with pytest.raises(InputError, match="no such function"):
        load("math:pi")


def test_modules_of_the_current_folder_are_found_whatever_the_path(monkeypatch, tmp_path):
    (tmp_path / "my_own_audit.py").write_text("def answer(): return 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    monkeypatch.delitem(sys.modules, "my_own_audit", raising=False)
    assert load("my_own_audit:answer")() == 3
    assert sys.path[0] == ""
    load("my_own_audit:answer")
    assert sys.path.count("") == 1
