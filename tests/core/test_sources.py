"""What is remembered is for exactly the sources that it was found from."""

import importlib
import json

from dpbandits.core import compiled, noise, sources
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


def test_compiled_code_of_a_plug_in_is_cached_per_state_of_it_and_of_ours(tmp_path, monkeypatch):
    package = tmp_path / "somebodys"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("from numba import njit\n")
    engine = "from dpbandits.core.compiled import jit\n\n@jit\ndef f(x):\n    return x\n"
    (package / "engine.py").write_text(engine)
    monkeypatch.syspath_prepend(tmp_path)
    find = compiled.fingerprint_of_compiled_sources.__wrapped__
    before = find(sources.OURS, package)
    place = importlib.import_module("somebodys.engine").f._cache.cache_path
    assert f"numba-{before}" in place
    (package / "inner.py").write_text("from numba import njit  # edited\n")
    assert find(sources.OURS, package) != before  # though engine.py is as it was
    assert f"numba-{find()}" in noise.normal._cache.cache_path


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
