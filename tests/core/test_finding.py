"""How papers, their modules and what they bring are found."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits.core import registry
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.errors import InputError
from dpbandits.core.figures import FIGURES
from dpbandits.core.registry import Paper, Place, Registry

PROGRAM = """
import sys
from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.figures import FIGURES
print(get_algorithm("DP-SE").name, FIGURES.get("KL/choice").name)
print(*sorted(name for name in sys.modules if name.startswith("dpbandits.")))
"""


def test_only_the_file_of_a_name_is_imported():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names, modules = done.stdout.splitlines()
    assert names == "dp-se kl/choice"
    assert "dpbandits.stochastic.dp_se" in modules.split()
    assert "dpbandits.stochastic.figures.regret" not in modules.split()
    assert "dpbandits.sparse.fliphat" not in modules.split()


def test_entries_stand_in_the_order_of_papers():
    keys = [entry.paper for entry in ALGORITHMS.all().values()]
    assert list(dict.fromkeys(keys)) == ["hu", "fl", "us"]
    assert {name.split("/")[0] for name in FIGURES.all("kl")} >= {"kl"}


def test_an_unknown_name_gets_a_hint():
    said = r"^config: unknown algorithm 'dp-sse'; did you mean 'dp-se'\? "
    with pytest.raises(InputError, match=said):
        ALGORITHMS.get("dp-sse", "config")
    with pytest.raises(InputError, match=r"see dpbandits list figures$"):
        FIGURES.get("q")


def test_the_paper_of_a_module():
    modules = ("dpbandits.stochastic.x", "dpbandits.sparse", "dpbandits.sparsest.x", "__main__")
    assert [registry.key_of(module) for module in modules] == ["hu", "fl", "", ""]


def with_papers_from_outside(monkeypatch, *found: Paper) -> dict[str, Paper]:
    for paper in found:
        monkeypatch.setitem(sys.modules, paper.package, SimpleNamespace(PAPER=paper))
    entries = [SimpleNamespace(module=paper.package) for paper in found]
    monkeypatch.setattr(registry, "paper_entry_points", lambda: entries)
    return registry.papers.__wrapped__()


def test_papers_stand_in_order(monkeypatch):
    papers = with_papers_from_outside(monkeypatch, Paper("aa", "t", "outside", 1))
    orders = {paper.key: paper.order for paper in papers.values()}
    assert list(orders) == sorted(orders, key=lambda key: (orders[key], key))
    assert "aa" in orders


def test_a_second_paper_of_a_key_is_left_out(monkeypatch, capsys):
    papers = with_papers_from_outside(monkeypatch, Paper("hu", "t", "other"))
    assert papers["hu"].package == "dpbandits.stochastic"
    said = "paper 'hu' comes from dpbandits.stochastic and other: the second one is left out"
    assert said in capsys.readouterr().err


def test_modules_of_a_package_and_of_none():
    found = registry.modules_in("dpbandits.audit")
    assert "dpbandits.audit.rnm" in found
    assert "dpbandits.audit.engine" not in found
    assert registry.modules_in("dpbandits.nowhere") == ()


def test_files_of_a_paper_stand_here_or_in_its_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paper = Paper("k", "t", "dpbandits.core")
    assert paper.file("errors.py") == Path(registry.__file__).parent / "errors.py"
    (tmp_path / "errors.py").write_text("")
    assert paper.file("errors.py") == Path("errors.py")


def first(): ...


def second(): ...


def test_a_second_entry_of_a_name_is_refused():
    things = Registry("thing", "things")
    things.add("x", "a", first)
    things.add("x", "b", first)  # the same place: a module imported again
    with pytest.raises(InputError, match=r"thing 'x' is registered twice: .*:\d+ and .*:\d+"):
        things.add("x", "c", second)
    assert things.get("X") == "b"
    assert things.place("x") == Place.of(first)


def test_a_notebook_may_register_its_own_anew(monkeypatch):
    things, entry = Registry("thing"), SimpleNamespace(module="__main__")
    monkeypatch.setattr(first, "__module__", "__main__")
    monkeypatch.setattr(second, "__module__", "__main__")
    things.add("x", entry, first)
    things.add("x", entry, second)
    assert things.place("x") == Place.of(second)
    entry.module = "elsewhere"
    with pytest.raises(InputError, match="registered twice"):
        things.add("x", entry, first)


def test_places_are_shown_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(Place(tmp_path / "a" / "b.py", 3)) == "a/b.py:3"
    assert str(Place(tmp_path.parent / "b.py", 3)) == f"{tmp_path.parent / 'b.py'}:3"
