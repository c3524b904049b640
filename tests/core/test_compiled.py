"""Where compiled code is kept, without compiling: a folder per content of all that it can see.

That new processes then see an edit is tested in test_sources.
"""

import sys
from pathlib import Path
from types import ModuleType

import numba
import pytest

from dpbandits.core import compiled, sources
from dpbandits.core.files import write_text


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """main.py imports near, and near far; of a package, of compiled code and of Python: nothing."""
    texts = {
        "main": "import near, json, whole, native, bare\nfrom dpbandits.core import errors\n",
        "near": "import main\nfrom far import x\nimport not_loaded\n",
        "far": "import dpbandits.core.steps\nx = 1\n",
        "apart": "x = 1\n",
    }
    files = {name: tmp_path / f"{name}.py" for name in texts}
    for name, text in texts.items():
        write_text(text, files[name])
    loaded = files | {"whole": tmp_path / "whole/__init__.py", "native": tmp_path / "native.so"}
    for name, file in (loaded | {"bare": None, "json": files["apart"]}).items():
        module = ModuleType(name)
        module.__file__ = file and str(file)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(compiled, "source_of", lambda m: None if m in files else source_of(m))
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "cache")
    return files


source_of, folder_of = sources.source_of, compiled.folder_of.__wrapped__


def test_the_scripts_behind_a_script(scripts):
    assert compiled._scripts_behind(scripts["main"]) == {
        scripts[name] for name in ("main", "near", "far")
    }
    assert compiled._scripts_behind(scripts["apart"]) == {scripts["apart"]}


def test_the_folder_of_a_script_follows_all_that_it_sees(scripts, tmp_path, monkeypatch):
    def folder():
        sources.read.cache_clear()
        return folder_of("main", scripts["main"])

    first = folder()
    assert first.parent == tmp_path / "cache/numba"
    assert first.name.startswith("main-")
    assert len(first.name) == len("main-") + 16
    assert folder() == first
    write_text("x = 2\n", scripts["apart"])
    assert folder() == first
    write_text("import dpbandits.core.steps\nx = 2\n", scripts["far"])
    second = folder()
    assert second != first
    steps = write_text("a module of dpbandits", tmp_path / "steps.py") or tmp_path / "steps.py"
    ours = compiled.source_of
    monkeypatch.setattr(
        compiled, "source_of", lambda m: steps if m == "dpbandits.core.steps" else ours(m)
    )
    assert folder() not in (first, second)


def test_the_folder_of_a_module_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    near = {m: tmp_path / f"{m}.py" for m in ("a", "b", "c")}
    for name, file in near.items():
        write_text(name, file)
    behind = ["a", "b"]
    monkeypatch.setattr(compiled, "source_of", near.get)
    monkeypatch.setattr(compiled, "modules_behind", lambda module: set(behind))
    first = folder_of("a", tmp_path / "elsewhere.py")
    write_text("other", near["c"])
    assert folder_of("a", tmp_path / "elsewhere.py") == first
    seen = {first}
    for change in (
        lambda: behind.append("c"),
        lambda: write_text("ba", near["b"]),
        lambda: near.update(b=near["b"].rename(tmp_path / "d.py")),
    ):
        change()
        assert folder_of("a", tmp_path / "elsewhere.py") not in seen
        seen.add(folder_of("a", tmp_path / "elsewhere.py"))
    assert folder_of("unknown", tmp_path / "nowhere.py") is None


@pytest.mark.parametrize("chosen", ["", "mine"])
@pytest.mark.parametrize("known", [True, False])
def test_numba_is_told_where_and_how(chosen, known, tmp_path, monkeypatch):
    """In the folder unless the user says otherwise; what has no file is not kept; IEEE rules."""
    folder, seen = (tmp_path / "ours" if known else None), {}
    chosen = chosen and str(tmp_path / chosen)
    njit = numba.njit

    def told(**options):
        seen.update(options)
        return njit(**options)

    monkeypatch.setattr(compiled, "folder_of", lambda module, file: folder)
    monkeypatch.setattr(numba.config, "CACHE_DIR", chosen)
    monkeypatch.setattr(numba, "njit", told)
    function = compiled.jit(folder_of)
    assert seen == {"error_model": "numpy"}
    assert function.py_func is folder_of
    if known:
        assert Path(function._cache.cache_path).parent == Path(chosen or folder)
    else:
        assert function._cache.cache_path is None
    assert chosen == numba.config.CACHE_DIR
