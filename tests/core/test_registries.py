"""How papers, their modules and their entries are found."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits.core import registry
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.errors import InputError
from dpbandits.core.registry import Paper, Place, Registry
from dpbandits.reproduction.plots.figures import FIGURES

PROGRAM = """
import sys
from dpbandits.core.algorithms import get_algorithm
from dpbandits.reproduction.plots.figures import FIGURES
print(get_algorithm("DP-SE").name, FIGURES.get("KL/choice").name)
print(*sorted(name for name in sys.modules if name.startswith("dpbandits.")))
"""


def test_only_the_module_named_like_an_entry_is_imported():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names, modules = done.stdout.splitlines()
    assert names == "dp-se kl/choice"
    assert "dpbandits.stochastic.dp_se" in modules.split()
    assert "dpbandits.reproduction.hu.figures.regret" not in modules.split()
    assert "dpbandits.sparse.fliphat" not in modules.split()


def test_entries_are_in_the_order_of_papers():
    keys = [entry.paper for entry in ALGORITHMS.all().values()]
    assert list(dict.fromkeys(keys)) == ["hu", "fl", "us"]
    assert {name.split("/")[0] for name in FIGURES.all("kl")} >= {"kl"}


def test_an_unknown_name_gets_a_hint():
    message = r"^config: unknown algorithm 'dp-sse'; did you mean 'dp-se'\? "
    with pytest.raises(InputError, match=message):
        ALGORITHMS.get("dp-sse", "config")
    with pytest.raises(InputError, match=r"see dpbandits list figures$"):
        FIGURES.get("q")


def test_the_paper_of_a_module():
    modules = ("dpbandits.stochastic.x", "dpbandits.sparse", "dpbandits.sparsest.x", "__main__")
    assert [registry.key_of(module) for module in modules] == ["hu", "fl", "", ""]


def test_papers_of_other_packages(monkeypatch, capsys):
    """They are in order; a second one with the same key is left out."""
    outside = [Paper("aa", "t", "outside", 1), Paper("hu", "t", "other")]
    for paper in outside:
        monkeypatch.setitem(sys.modules, paper.package, SimpleNamespace(PAPER=paper))
    entries = [SimpleNamespace(module=paper.package) for paper in outside]
    monkeypatch.setattr(registry, "paper_entry_points", lambda: entries)
    monkeypatch.setattr(registry, "package_folder", Path)
    papers = registry.papers.__wrapped__()
    orders = {paper.key: paper.order for paper in papers.values()}
    assert list(orders) == sorted(orders, key=lambda key: (orders[key], key))
    assert "aa" in orders
    assert papers["hu"].package == "dpbandits.stochastic"
    message = "paper 'hu' comes from dpbandits.stochastic and other: the second one is left out"
    assert message in capsys.readouterr().err


def test_modules_of_a_package():
    modules = registry.modules_in("dpbandits.audit")
    assert "dpbandits.audit.rnm" in modules
    assert "dpbandits.audit.engine" not in modules  # a package
    assert registry.modules_in("dpbandits.nowhere") == ()


def test_files_of_a_paper_are_in_the_current_folder_or_its_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paper = Paper("k", "t", "dpbandits.core")
    assert paper.file("errors.py") == Path(registry.__file__).parent / "errors.py"
    (tmp_path / "errors.py").write_text("")
    assert paper.file("errors.py") == Path("errors.py")


def first(): ...


def second(): ...


def test_a_second_entry_of_a_name_is_refused():
    things = Registry("thing", "things")
    things.register("x", lambda _: "a")(first)
    things.register("x", lambda _: "b")(first)  # the same function: a module imported again
    with pytest.raises(InputError, match=r"thing 'x' is registered twice: .*:\d+ and .*:\d+"):
        things.register("x", lambda _: "c")(second)
    assert things.get("X") == "b"
    assert things.place("x") == Place.of(first)


def test_a_notebook_may_register_its_own_entry_again(monkeypatch):
    things, entry = Registry("thing"), SimpleNamespace(module="__main__")
    monkeypatch.setattr(first, "__module__", "__main__")
    monkeypatch.setattr(second, "__module__", "__main__")
    things.register("x", lambda _: entry)(first)
    things.register("x", lambda _: entry)(second)
    assert things.place("x") == Place.of(second)
    entry.module = "elsewhere"
    with pytest.raises(InputError, match="registered twice"):
        things.register("x", lambda _: entry)(first)


def test_places_are_shown_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(Place(tmp_path / "a" / "b.py", 3)) == "a/b.py:3"
    assert str(Place(tmp_path.parent / "b.py", 3)) == f"{tmp_path.parent / 'b.py'}:3"
