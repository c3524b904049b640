"""The mutation harness itself: it finds every kind, draws by seed, touches nothing but its copy."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import calls
import forks
import mutants
import run
from imports import Imports

SOURCE = b'''"""A module, 3 < 4."""
from x import child, require_proof

def judge(a: int = 3, *, streams=None) -> float:
    """5 + 5"""
    require_proof(a > 1, "more than 1")
    key = streams.child("noise", a)
    return "holds" if max(a, 2) < 48 else key[a] - a
'''


def made(file="src/dpbandits/kernel/claims/privacy.py", source=SOURCE):
    found = mutants.mutants_of(file, source)
    return [m for m in found if mutants.changes_something(m, source)]


def test_every_kind_is_found_in_its_place():
    changes = {(m.kind, m.before, m.after) for m in made()}
    assert {
        ("comparison", "max", "min"),
        ("constant", "48", "96"),
        ("arithmetic", "key[a] - a", "(key[a] + a)"),
        ("dropped", "key[a] - a", "(key[a])"),
        ("index", "a", "(a + 1)"),
        ("verdict", "'holds'", "'consistent'"),
        ("verdict", "max(a, 2) < 48", "(max(a, 2) <= 48)"),
        ("verdict", "require_proof(a > 1, 'more than 1')", "pass"),
        ("seed", "streams.child('noise', a)", "(streams.child(a))"),
        ("seed", "streams.child('noise', a)", "(streams.child('noise', 1))"),
    } <= changes
    source = b"def old(a):\n    if a != 1:\n        a = 2\n"
    kept = made("src/dpbandits/pipeline/provenance.py", source)
    assert ("freshness", "a != 1", "False") in {(m.kind, m.before, m.after) for m in kept}
    assert {m.kind for m in made()} | {"freshness"} == set(mutants.KINDS)


def test_texts_and_annotations_stay():
    for mutant in made():
        changed = mutant.applied(SOURCE)
        assert b'"""A module, 3 < 4."""' in changed
        assert b'"""5 + 5"""' in changed
        assert b"a: int" in changed


def test_draws_follow_the_seed_and_take_cells_in_turn(tmp_path):
    path = tmp_path / "src" / "dpbandits" / "kernel" / "claims" / "privacy.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(SOURCE)
    every = mutants.all_mutants(tmp_path)
    first, again, other = (mutants.drawn(tmp_path, every, 7, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({m.kind for m in first}) == len({m.kind for m in every})
    assert len(mutants.drawn(tmp_path, every, 10**6, 1)) == len(made())


def test_tests_that_import_a_file_are_found():
    imports = Imports(run.ROOT)
    near = imports.distances("src/dpbandits/core/philox.py")
    assert near["src/dpbandits/core/noise.py"] == 1
    assert any(file.startswith("tests/core/") for file in near)


def test_equivalent_mutants_still_occur():
    found = set()
    for file in {key[0] for key in run.known_equivalents()}:
        found |= {m.name for m in mutants.mutants_of(file, (run.ROOT / file).read_bytes())}
    gone = set(run.known_equivalents()) - found
    assert not gone
    assert all(len(reason) > 20 for reason in run.known_equivalents().values())


TINY = "def less(x):\n    return x - 1\n\n\ndef unseen(x):\n    return x + 2\n"
TESTS = """
from tiny import less

def test_before():
    less.seen = True

def test_disturbed():
    assert not hasattr(less, "seen")

def test_wrong():
    assert less(1) == 5

def test_less():
    assert less(3) == 2
"""


@pytest.fixture
def tiny(tmp_path):
    tree = tmp_path / "tree"
    for file, text in (("src/tiny.py", TINY), ("tests/test_tiny.py", TESTS)):
        (tree / file).parent.mkdir(parents=True)
        (tree / file).write_text(text)
    settings = '[tool.pytest.ini_options]\nmarkers = ["pipeline", "cluster"]\n'
    (tree / "pyproject.toml").write_text(settings)
    found = {
        m.function: m
        for m in mutants.mutants_of("src/tiny.py", TINY.encode())
        if m.kind == "arithmetic"
    }
    return tree, found, run.Judge(tmp_path, budget=60)


def without(tree, *names):
    text = "\n\n".join(p for p in TESTS.split("\n\n") if not any(n in p for n in names))
    (tree / "tests/test_tiny.py").write_text(text)


def test_a_mutant_that_a_test_sees_is_killed_by_it_and_put_back(tiny):
    tree, found, judge = tiny
    without(tree, "disturbed", "wrong")
    assert judge.verdict(found["less"]) == ("killed", "tests/test_tiny.py::test_less")
    assert (tree / "src/tiny.py").read_text() == TINY
    outcome, by = judge.verdict(found["unseen"])
    assert (outcome, by.split(",")[0]) == ("survived", "2 tests")


@pytest.mark.parametrize("bad", ["disturbed", "wrong"])
def test_a_test_that_fails_without_the_mutant_kills_nothing(tiny, bad):
    """Alone, or only after another test."""
    tree, found, judge = tiny
    without(tree, {"disturbed": "wrong", "wrong": "disturbed"}[bad])
    assert judge.verdict(found["unseen"]) == ("survived", "its tests fail without it")


def test_a_run_that_was_stopped_goes_on(tmp_path):
    output = tmp_path / "out.jsonl"
    assert run.read(output) == []
    output.write_text('{"file": "a"}\n{"file": "b"}\n')
    assert [row["file"] for row in run.read(output)] == ["a", "b"]


def test_the_table_counts_what_was_drawn():
    rows = [
        {"folder": "audit", "kind": "index", "outcome": "killed"},
        {"folder": "audit", "kind": "index", "outcome": "survived"},
        {"folder": "core", "kind": "seed", "outcome": "equivalent"},
    ]
    text = run.table(rows)
    assert "1/2" in text
    assert "core" not in text


def test_tests_that_call_the_function_come_first(tmp_path, monkeypatch):
    """Recorded calls decide before imports; a later line of a test replaces an earlier one."""
    lines = [
        ["tests/a/test_a.py::one", 0.5, ["src/dpbandits/a.py:f", "src/dpbandits/a.py:C.g"]],
        ["tests/a/test_a.py::two", 0.1, ["src/dpbandits/a.py:f"]],
        ["tests/a/test_a.py::one", 0.2, ["src/dpbandits/a.py:C.g"]],
    ]
    monkeypatch.setattr(calls, "OUTPUT", tmp_path / "calls.jsonl")
    calls.OUTPUT.write_text("".join(json.dumps(line) + "\n" for line in lines))
    seconds, callers = calls.read()
    assert seconds == {"tests/a/test_a.py::one": 0.2, "tests/a/test_a.py::two": 0.1}
    assert callers["src/dpbandits/a.py:f"] == {"tests/a/test_a.py::two"}
    assert callers["src/dpbandits/a.py:C.g"] == {"tests/a/test_a.py::one"}

    class Item:
        def __init__(self, nodeid):
            self.nodeid = nodeid

    def order(nearer):
        seconds = {"t::long": 9.0, "t::mid": 1.0, "t::quick": 0.01, "u::quick": 0.01}
        items = [Item(name) for name in seconds]
        plugin = forks._Order(["t", "u"], seconds, 9, False, nearer, None)
        plugin.pytest_collection_modifyitems(items)
        return [item.nodeid for item in items]

    assert order(()) == ["t::quick", "u::quick", "t::mid", "t::long"]
    near = ["t::long", "u::quick"].__contains__
    assert order((near, bool)) == ["u::quick", "t::long", "t::quick", "t::mid"]
