"""What is remembered is for exactly the sources that it was found from."""

import json
import os
import subprocess
import sys
from pathlib import Path

from dpbandits.core import compiled, sources
from dpbandits.core.files import content, write_seal, write_text
from dpbandits.pipeline import kept


def test_an_answer_is_found_once_per_key(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path)
    found = iter(range(99))

    def ask(*keys):
        keys = iter(keys)
        return sources.remembered("number", lambda: next(keys), lambda: next(found))

    assert ask("a", "a") == ask("a") == 0
    assert ask("b", "b") == 1
    assert ask("c", "d") == 2  # edited while it was found: answered, not kept
    assert ask("c", "c") == 3
    assert [ask(f"k{i}", f"k{i}") for i in range(20)] == [*range(4, 24)]
    assert len(list((tmp_path / "answers").iterdir())) == sources.KEPT


def test_names_and_bytes_count_and_times_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "home", lambda package: tmp_path)
    file = tmp_path / "module.py"
    file.write_text("x = 1\n")
    before = sources.fingerprint()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/module.pyc").write_text("cached")
    file.touch()
    assert sources.fingerprint() == before
    seen = {before}
    for change in (
        lambda: file.write_text("x = 2\n"),
        lambda: file.rename(tmp_path / "renamed.py"),
        lambda: (tmp_path / "data.csv").write_text("1\n"),
    ):
        change()
        assert sources.fingerprint() not in seen
        seen.add(sources.fingerprint())


EVERYWHERE = """
class A:
    async def f(self):
        async with x:
            import a
        async for y in x:
            import b
        else:
            import c
try:
    import d
except ValueError:
    import e
else:
    import f
finally:
    import g
match x:
    case 1:
        import h
while x:
    if y:
        import i
    elif z:
        import j
    else:
        with x:
            from k import l
"""


def test_an_import_is_found_wherever_it_stands(tmp_path):
    write_text(EVERYWHERE, tmp_path / "m.py")
    assert sources.named_in(tmp_path / "m.py") == {*"abcdefghijk", "k.l"}


COMPILED = """from dpbandits.core.compiled import jit
{uses}

@jit
def f(x):
    return {value}
"""
FILES = {  # caller -> near -> far -> plain; apart stands alone
    "plain": "STEP = 1\n",
    "far": COMPILED.format(uses="from {home}plain import STEP", value="x + STEP"),
    "near": COMPILED.format(uses="from {home}far import f as g", value="g(x)"),
    "caller": COMPILED.format(uses="from {home}near import f as g", value="g(x)"),
    "apart": COMPILED.format(uses="", value="x"),
}
CALL = """import sys
from importlib import import_module
from pathlib import Path
from dpbandits.core import compiled
compiled.cache_folder = lambda: Path("cache")
for home in sys.argv[1:]:
    caller, near, apart = (import_module(home + name) for name in ("caller", "near", "apart"))
    print(caller.f(1), caller.f._cache.cache_path, apart.f._cache.cache_path)
    assert near.f(1) == caller.f(1)  # what compiled code called cannot be called from here
print("numba.np.linalg" in sys.modules)
"""


def test_compiled_code_is_never_stale_and_kept_where_an_edit_is_not_seen(tmp_path):
    """In a package, and in modules of none; asked of new processes."""
    homes = {"somebodys.": tmp_path / "somebodys", "": tmp_path}
    for home, folder in homes.items():
        for name, text in (FILES | {"__init__": ""}).items():
            write_text(text.replace("{home}", home), folder / f"{name}.py")
    call = [sys.executable, "-c", CALL, *homes]
    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}

    def ask(**more):
        out = subprocess.run(
            call, cwd=tmp_path, check=True, capture_output=True, text=True, env=clean | more
        )
        *found, compiler = out.stdout.splitlines()
        return [line.split() for line in found], compiler

    before, compiler = ask()
    for folder in homes.values():
        write_text("STEP = 20\n", folder / "plain.py")
    after, again = ask()[0], ask()
    assert (compiler, again) == ("True", (after, "False"))  # what is kept needs no compiler
    for old, new, mine in zip(before, after, ask(NUMBA_CACHE_DIR="mine")[0], strict=True):
        assert (old[0], new[0]) == ("2", "21")
        assert old[1] != new[1]
        assert old[2] == new[2]
        assert mine[1].startswith("mine/")


def test_what_a_notebook_compiles_is_not_kept():
    assert compiled.folder_of("__main__", Path("/tmp/ipykernel_1/2.py")) is None


def _results(folder):
    """A part, its table, and the verdicts made of it; what each should be made of."""
    part, table, verdicts = (
        str(folder / name) for name in ("part.parquet", "table.csv", "claims/kl/verdicts.csv")
    )
    made = {part: ("p", []), table: ("t", [part]), verdicts: ("v", [table])}
    for path, (recipe, inputs) in made.items():
        write_text("id,reading,verdict,evidence\nKL-S4.3,printed,kept,\n", path)
        write_seal(path, recipe, {name: content(name) for name in inputs})
    return part, table, verdicts, made


def test_only_what_is_up_to_date_all_the_way_down_is_taken(tmp_path):
    part, table, verdicts, made = _results(tmp_path)
    assert kept.is_up_to_date(verdicts, made)
    for wrong in (
        {part: ("other", [])},
        {table: ("t", [part, verdicts])},
        {table: ("t", [])},
        {verdicts: ("other", [table])},
    ):
        assert not kept.is_up_to_date(verdicts, made | wrong)
    write_text("another run of the same recipe", part)
    write_seal(part, "p", {})
    assert not kept.is_up_to_date(verdicts, made)


def test_check_gives_kept_rows_unless_they_are_damaged(tmp_path, monkeypatch, capsys):
    from dpbandits.cli import main

    *_, verdicts, made = _results(tmp_path)
    monkeypatch.setattr(kept, "wanted", lambda paper: (str(tmp_path), made))
    assert main(["check", "kl-s4.3", "--json"]) == 0
    assert [row["verdict"] for row in json.loads(capsys.readouterr().out)] == ["kept"]
    write_text("id,reading,verdict,evidence\nKL-S4.3,printed,changed,\n", verdicts)
    assert kept.verdicts("kl") is None


def test_outside_a_checkout_a_clear_word(tmp_path, monkeypatch, capsys):
    from dpbandits.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["check", "KL-T1-pure"]) == 2
    assert "in a checkout" in capsys.readouterr().err
    assert kept.verdicts("kl") is None
