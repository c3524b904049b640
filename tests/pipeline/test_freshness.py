"""Each way in which a result can be old, asked of the functions that judge it: no pipeline runs.

Recipes say of what a result should be made (provenance, recipes), seals of what it was made (work),
and three judge: a run's beginning (seals, in test_seals.py), `check` and tables (kept, tables), and
the line for people (recipes.explained). What a job itself vouches for: test_work_by_hand.py.
"""

import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from scratch import ROOT

from dpbandits.core.files import content, seal_of, write_seal, write_text
from dpbandits.core.ledger import claims
from dpbandits.pipeline import kept, provenance, recipes
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Plan, split
from dpbandits.pipeline.provenance import Recipe, meaning, raw, recipe


@pytest.fixture(scope="module")
def plan():
    """KL has studies that are split, HU experiments; at the scale where studies are split."""
    before = os.getcwd()
    os.chdir(ROOT)
    yield Plan.load(read_yaml("config/config.yaml") | {"papers": ["hu", "kl"], "scale": "paper"})
    os.chdir(before)


# Recipes: what changes them


def test_a_digest_follows_code_and_parameters_alone(tmp_path):
    one = Recipe({"a.py": "1"}, {"job": "x"})
    assert one.digest == Recipe({"a.py": "1"}, {"job": "x"}, (tmp_path,)).digest
    others = [
        Recipe({"a.py": "2"}, one.said),
        Recipe({"b.py": "1"}, one.said),
        Recipe(one.code, {}),
    ]
    digests = {one.digest, *(r.digest for r in others), Recipe(one.code, {"job": "y"}).digest}
    assert len(digests) == 5
    assert all(len(digest) == 16 for digest in digests)


def test_a_recipe_holds_modules_scripts_files_and_parameters(tmp_path):
    """A script's imports count; of a module whose text is shown, the text; other files by bytes."""
    script, data = tmp_path / "one/two/script.py", tmp_path / "one/two/data.csv"
    write_text("import os\nfrom dpbandits.core import errors\n", script)
    write_text("1\n", data)
    found = recipe(["dpbandits.core.noise"], [script, data], ["dpbandits.core.words"], job={"b": 1})
    errors, words = "src/dpbandits/core/errors.py", "src/dpbandits/core/words.py"
    assert {"src/dpbandits/core/noise.py", "one/two/script.py", "one/two/data.csv"} < set(
        found.code
    )
    assert found.code[errors] == meaning(ROOT / errors)
    assert found.code[f"{words} (text)"] == raw(ROOT / words)
    assert words not in found.code
    assert ROOT / words in found.paths
    assert found.said == {"job": '{"b": 1}'}
    assert found.paths == tuple(sorted(found.paths))
    assert "src/dpbandits/core/errors.py" not in recipe([], [data]).code


def test_files_are_shown_below_the_run_or_the_library_else_by_their_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert provenance.shown(tmp_path / "a/b.py") == "a/b.py"
    assert provenance.shown(ROOT / "src/dpbandits/cli") == "src/dpbandits/cli"
    assert provenance.shown(Path("/usr/lib/x/y/z.py")) == "x/y/z.py"


def test_a_kept_recipe_has_the_bytes_of_its_files(tmp_path):
    """And is written again if they changed without changing what they mean."""
    file = tmp_path / "code.py"
    file.write_text("x = 1\n")
    made = recipe([], [file])
    path = tmp_path / f"{made.keep(tmp_path)}.json"
    assert path.name == f"{made.digest}.json"
    assert json.loads(path.read_text())["raw"] == {str(file): raw(file)}
    times = path.stat().st_mtime_ns
    os.utime(path, ns=(times - 10**9, times - 10**9))
    made.keep(tmp_path)
    assert path.stat().st_mtime_ns == times - 10**9
    file.write_text("x = 1  # still\n")
    made.keep(tmp_path)
    assert json.loads(path.read_text()) == {
        "code": made.code, "said": {}, "raw": {str(file): raw(file)},
    }  # fmt: skip


def test_the_meaning_of_python_has_no_texts_in_it(tmp_path):
    """But texts that are values count, as do those that do not come first."""
    texts = ["x = 1\n", '"""Doc."""\nx = 1\n', '"other"\nx = 1\n', 'x = "1"\n', 'x = 1\n"late"\n']
    files = [tmp_path / f"{place}.py" for place in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    first, doc, other, value, late = map(meaning, files)
    assert first == doc == other
    assert len({first, value, late}) == 3
    data = tmp_path / "0.txt"
    data.write_text("x = 1\n")
    assert meaning(data) == raw(data) != first
    assert {len(first), len(raw(data))} == {16}


def test_parts_tables_and_verdicts_each_have_their_recipe(plan):
    """By output; a table of parts is put together, any other computed; papers can be left out."""
    found = recipes.wanted(plan, ["kl"])
    name = next(n for n, c in plan.papers["kl"].studies.items() if c.split)
    params = plan.study("kl", name)[1]
    parts = plan.parts("kl", name)
    pieces = split(params, plan.papers["kl"].studies[name].split)
    assert len({found[part].digest for part in parts}) == len(parts) == len(pieces) > 1
    for part, piece in zip(parts, pieces, strict=True):
        assert json.loads(found[part].said["params"]) == json.loads(json.dumps(piece))
    whole = found[str(plan.table_path("kl", name))]
    assert whole.said == {"labels": "null"}
    assert "workflow/scripts/aggregate.py" in whole.code
    lone = next(n for n, c in plan.papers["kl"].studies.items() if not c.split)
    table = found[str(plan.table_path("kl", lone))]
    assert json.loads(table.said["params"]) == plan.study("kl", lone)[1]
    assert "workflow/scripts/study.py" in table.code
    verdicts = found[plan.verdicts_path("kl")]
    assert json.loads(verdicts.said["ids"]) == sorted(claims("kl"))
    assert "src/dpbandits/offline/claims/certificates.py" in verdicts.code
    assert not [path for path in found if "/hu/" in path]
    assert all("envs/requirements.lock" in r.code for r in (table, whole, verdicts))


def test_a_simulation_is_made_of_its_job_and_a_summary_of_its_labels(plan):
    one, other = map(recipes.simulation, plan.jobs_of("hu", "fig1")[:2])
    assert json.loads(one.said["job"]) == plan.jobs_of("hu", "fig1")[0].spec()
    assert one.digest != other.digest
    table = recipes.aggregation(plan, "hu", "fig1")
    assert table.said == {"labels": '["setting"]'}
    assert all("envs/requirements.lock" in r.code for r in (one, table))


def test_what_each_output_is_made_of(plan):
    made = recipes.described(plan, recipes.wanted(plan, ["kl"]))
    name = next(n for n, c in plan.papers["kl"].studies.items() if c.split)
    parts = plan.parts("kl", name)
    assert made[str(plan.table_path("kl", name))][1] == parts
    piece = next(iter(plan.study_parts("kl", name).values()))
    assert made[parts[0]] == (recipes.study(plan, "kl", name, piece).digest, [])
    reads = {name for claim in claims("kl").values() for name in claim.reads}
    wanted = sorted(str(plan.table_path("kl", name)) for name in reads)
    assert made[plan.verdicts_path("kl")][1] == wanted
    assert plan.verdicts_path("hu") not in made


def test_a_claim_depends_on_its_certificates_and_on_the_algorithms_that_it_runs(monkeypatch):
    module, built = "dpbandits.core.points", "dpbandits.core.words"
    own = SimpleNamespace(id="X-2", module=module, certificates=built, runs=("dp-se",))
    other = SimpleNamespace(id="X-1", module=module, certificates="", runs=())
    monkeypatch.setattr(recipes, "claims", lambda paper: {"X-2": own, "X-1": other})
    found = recipes.checks("x")
    files = ("core/points.py", "core/words.py", "stochastic/dp_se.py")
    assert {f"src/dpbandits/{name}" for name in files} < {*found.code}
    assert found.said == {"ids": '["X-1", "X-2"]'}


def test_the_page_is_made_of_its_rule_and_captions(plan, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = recipes.report(plan, {"a": 1}, []).code
    captions = {f"workflow/report/{p.name}" for p in Path("workflow/report").iterdir()}
    assert captions | {"workflow/rules/notebooks.smk", "Snakefile"} < {*code}


def test_what_a_figure_says_is_part_of_its_notebook(plan, monkeypatch):
    monkeypatch.chdir(ROOT)
    from dpbandits.pipeline.figures import figures

    own = figures()["hu/fig1"]
    path = "notebooks/hu/regret.ipynb"
    before = recipes.notebook(plan, path, [own])
    assert own.module.replace(".", "/") in " ".join(before.code)
    assert {path, "workflow/scripts/draw.py"} < set(before.code)
    for key in ("title", "paper_says", "alt"):
        other = recipes.notebook(plan, path, [replace(own, **{key: "otherwise"})])
        assert provenance.differences(json.loads(before.text), other) == ["figures"]
    claim = figures()["hu/claims/HU-T2"]
    assert own.module.replace(".", "/") not in " ".join(recipes.notebook(plan, path, [claim]).code)


# What people are told


def test_people_are_told_what_changed(tmp_path):
    """Of outputs whose recipe is another one; each file with how many results it is behind."""
    old = Recipe({"a.py": "1", "b.py": "1"}, {"job": "x"})
    digest = old.keep(tmp_path)
    new = Recipe({"a.py": "2", "b.py": "1"}, {"job": "x"})
    third = Recipe({"a.py": "3"}, {"job": "x"})
    outputs = [str(tmp_path / f"{place}.csv") for place in range(5)]
    for path, made in zip(outputs, (digest, digest, new.digest, "no longer kept"), strict=False):
        write_text("x", path)
        write_seal(path, made, {})
    wanted = dict(zip(outputs, (new, third, new, new, new), strict=True))
    said = "Changed since results were made: a.py (behind 2 files), b.py (behind 1 files)"
    assert recipes.explained(wanted, tmp_path) == said
    assert recipes.explained({outputs[2]: new}, tmp_path) == ""
    many = Recipe({f"{letter}.py": "1" for letter in "abcdefghij"}, {})
    for count, more in ((8, ""), (10, " and 2 more")):
        kept_one = Recipe(dict(list(many.code.items())[:count]), {})
        write_seal(outputs[0], kept_one.keep(tmp_path), {})
        told = recipes.explained({outputs[0]: Recipe({}, {})}, tmp_path)
        assert told.count("behind") == 8
        assert told.endswith(f"(behind 1 files){more}")


# What was made: kept results


def test_old_is_what_lacks_a_seal_its_bytes_or_the_content_of_its_inputs(tmp_path):
    part, table = (str(tmp_path / name) for name in ("part", "table.csv"))
    made = {part: ("p", []), table: ("t", [part])}

    def anew():
        for path, (digest, inputs) in made.items():
            write_text(f"text of {Path(path).name}", path)
            write_seal(path, digest, {name: content(name) for name in inputs})
        assert kept.is_up_to_date(table, made)

    for harm in (
        lambda: seal_of(table).unlink(),
        lambda: seal_of(part).unlink(),
        lambda: Path(table).unlink(),
        lambda: Path(part).unlink(),
        lambda: write_seal(part, "other", {}),
        lambda: write_seal(table, "t", {part: "other"}),
        lambda: write_seal(table, "t", {}),
        lambda: write_text("not a seal", seal_of(table)),
    ):
        anew()
        harm()
        assert not kept.is_up_to_date(table, made)


def test_verdicts_are_taken_only_if_they_are_planned_whole_and_fresh(tmp_path, monkeypatch):
    (tmp_path / "config").mkdir()
    monkeypatch.chdir(tmp_path)
    made = {"r/claims/x/verdicts.csv": ("v", [])}
    monkeypatch.setattr(kept, "wanted", lambda paper: ("r", made))
    path = "r/claims/x/verdicts.csv"
    write_text("id,verdict\nX-1,holds\n", path)
    write_seal(path, "v", {})
    assert kept.verdicts("x") is None  # no checkout
    write_text("", "config/config.yaml")
    assert kept.verdicts("x") == [{"id": "X-1", "verdict": "holds"}]
    assert kept.verdicts("y") is None
    write_text("id,verdict\nX-1,violated\n", path)
    assert kept.verdicts("x") is None
    write_seal(path, "old", {})
    assert kept.verdicts("x") is None


@pytest.mark.parametrize(
    "edited",
    ["config/config.yaml", "config/x.yaml", "envs/requirements.lock", "workflow/scripts/a.py"],
)
def test_what_should_be_made_is_asked_again_after_an_edit(edited, tmp_path, monkeypatch):
    """Of the config, the lock or a script, at another scale, and in another folder."""
    monkeypatch.setattr("dpbandits.core.sources.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("dpbandits.core.sources.fingerprint", lambda: "the same sources")
    answers = iter(range(9))

    def ask(scale=None):
        return kept.wanted("x", scale, lambda: next(answers))

    for folder in (tmp_path / "one", tmp_path / "two"):
        for name in ("config/config.yaml", "envs/requirements.lock", "workflow/scripts/a.py"):
            write_text("a: 1\n", folder / name)
    monkeypatch.chdir(tmp_path / "one")
    assert [ask(), ask(), ask("smoke"), ask()] == [0, 0, 1, 0]
    write_text("a: 2\n", edited)
    assert ask() == 2
    monkeypatch.chdir(tmp_path / "two")
    assert ask() == 3


def test_it_is_found_from_the_plan(monkeypatch):
    monkeypatch.chdir(ROOT)
    results, made = kept._found("kl", "smoke")
    assert results == read_yaml("config/config.yaml")["scales"]["smoke"]["results"]
    assert f"{results}/claims/kl/verdicts.csv" in made
    assert not [path for path in made if "/hu/" in path]
