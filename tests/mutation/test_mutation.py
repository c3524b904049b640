"""The mutation harness itself: it finds every kind, draws by seed, touches nothing but its copy."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import mutants
import run

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
    imports = run.Imports(run.ROOT)
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


@pytest.mark.parametrize(("change", "outcome"), [(("- 1", "- 2"), "killed"), (None, "survived")])
def test_a_whole_run_on_a_tiny_project(tmp_path, change, outcome):
    """A mutant that the test sees, and one that it does not; the file is put back afterwards."""
    module, test = tmp_path / "tree/src/tiny.py", tmp_path / "tree/tests/test_tiny.py"
    for path, text in (
        (module, "def less(x):\n    return x - 1\n\n\ndef unseen(x):\n    return x + 2\n"),
        (test, "from tiny import less\n\n\ndef test_less():\n    assert less(3) == 2\n"),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "tree/pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nmarkers = ["pipeline", "cluster"]\n'
    )
    runner = run.Runner(tmp_path, budget=60)
    wanted = "less" if change else "unseen"
    mutant = next(
        m
        for m in mutants.mutants_of("src/tiny.py", module.read_bytes())
        if m.function == wanted and m.kind == "arithmetic"
    )
    before = module.read_bytes()
    assert runner.judge(mutant, rest=False)[0] == outcome
    assert module.read_bytes() == before


def test_the_table_counts_what_was_drawn():
    rows = [
        {"folder": "audit", "kind": "index", "outcome": "killed"},
        {"folder": "audit", "kind": "index", "outcome": "survived"},
        {"folder": "core", "kind": "seed", "outcome": "equivalent"},
    ]
    text = run.table(rows)
    assert "1/2" in text
    assert "core" not in text
