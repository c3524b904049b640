"""An archive of a run that never ran: two jobs, their recipes and seals written by hand.

What the crate must say of them is worked out here, entity by entity; that such a crate is valid is
tests/workflow/test_archive.py's concern.
"""

import hashlib
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from dpbandits.core.errors import InputError
from dpbandits.core.files import content, write_seal, write_text
from dpbandits.pipeline import archive, verify
from dpbandits.pipeline.verify import Archive

PART, TABLE = "results/simulations/hu/e/a b/0.parquet", "results/tables/hu/e.csv"
QUOTED = PART.replace(" ", "%20")
BLOCKS = [(0, 10), (10, 5), (0, 10)]  # first seed and number; the third cell repeats a block
CELLS = json.dumps({"cells": [{"first_seed": f, "seeds": n} for f, n in BLOCKS]})
SCRIPTS = "workflow/scripts/simulate.py", "workflow/scripts/aggregate.py"
RECIPES = {
    "r1": {"code": {"a.py": "1", SCRIPTS[0]: "2"}, "said": {"z": "1", "job": json.dumps(CELLS)}},
    "r2": {"code": {SCRIPTS[1]: "3"}, "said": {"labels": "[]"}},
}
TRACKED = ("Snakefile", "envs/requirements.lock", *SCRIPTS, "a file.txt", ".gitignore")


def log(rule: str, output: str, ended: str, seconds: float) -> str:
    record = {"rule": rule, "outputs": [output], "ended": ended, "work_seconds": seconds}
    return json.dumps(record | {"cpu_seconds": 1.5, "peak_mb": 200.0, "startup_seconds": 0.5})


def git(*words: str) -> None:
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *words], check=True, capture_output=True)


def lay_out() -> None:
    """In the current folder: a checkout with its commit, and the results of two jobs."""
    for name in (*TRACKED, "figures/old.csv"):
        write_text(f"text of {name}\n", name)
    Path("link").symlink_to("Snakefile")
    write_text("results/\n", ".gitignore")
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        git(*step)
    for name, recipe in RECIPES.items():
        write_text(json.dumps(recipe), f"results/.recipes/{name}.json")
    write_text("rows", PART)
    write_seal(PART, "r1", {"envs/requirements.lock": "not a file of the archive"})
    write_text("n\n1\n", TABLE)
    write_seal(TABLE, "r2", {PART: content(PART)})
    logs = {
        "simulate/0": log("simulate", PART, "2026-01-02T10:00:30+00:00", 20),
        "aggregate/e": log("aggregate_hu", TABLE, "2026-01-03T10:01:00+00:00", 4),
        "aggregate/half": log("half", TABLE, "", 1).replace(
            f'["{TABLE}"]', f'["{TABLE}", "results/tables/hu/gone.csv"]'
        ),
        "aggregate/failed": "Traceback",
        "aggregate/none": json.dumps({"rule": "x"}),
        "aggregate/gone": log("aggregate", "results/tables/hu/gone.csv", "", 1),
        "aggregate/unsealed": log("aggregate", "results/published.txt", "", 1),
    }
    write_text("{}", "results/tables/hu/.gone.csv.seal")
    write_text("a file without a seal", "results/published.txt")
    for name, text in logs.items():
        write_text(text, f"results/logs/{name}.log")
    write_text(log("other", TABLE, "2026-01-09T10:01:00+00:00", 4), "results/tables/other.log")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The archive, written twice where the run was; both must have the same bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("run"))
        lay_out()
        twice = [Path(name).absolute() for name in ("results/a.zip", "results/b.zip")]
        for path in twice:
            archive.write("results", {"scale": "smoke", "a": 1}, path)
        assert twice[0].read_bytes() == twice[1].read_bytes()
        write_text("edited", "Snakefile")
        with pytest.raises(InputError, match="commit first what is changed: Snakefile"):
            archive.commit()
        write_text("text of Snakefile\n", "Snakefile")
        write_text("edited", "figures/old.csv")  # a copy: it may differ
        assert len(archive.commit()) == 40
        Path("a file.txt").unlink()
        assert {*archive.tracked()} == {*TRACKED} - {"a file.txt"}
        patch.chdir(tmp_path_factory.mktemp("no_checkout"))
        with pytest.raises(InputError, match="archive: git status: fatal"):
            archive.commit()
        yield twice[0]


def test_what_the_archive_holds(made):
    zip = ZipFile(made)
    code = {f"code/{name}".replace(" ", "%20") for name in TRACKED}
    recipes = {f"results/.recipes/{name}.json" for name in RECIPES}
    assert {*zip.namelist()} == {
        *code, *recipes, QUOTED, TABLE, "run-config.json", "ro-crate-metadata.json",
    }  # fmt: skip
    assert zip.read(QUOTED) == b"rows"
    assert zip.read("code/a%20file.txt") == b"text of a file.txt\n"
    assert zip.read("run-config.json") == b'{\n "a": 1,\n "scale": "smoke"\n}'
    assert zip.read("ro-crate-metadata.json").startswith(b'{\n "@context": [\n  "')
    kinds = {entry.filename: entry.compress_type for entry in zip.infolist()}
    assert (kinds[QUOTED], kinds[TABLE]) == (ZIP_STORED, ZIP_DEFLATED)


def test_what_is_said_of_each_job(made):
    entities = Archive(made).entities
    first = entities[f"#job-{QUOTED}"]
    assert first == {
        "@id": f"#job-{QUOTED}",
        "@type": "CreateAction",
        "name": f"simulate: {PART}",
        "description": "1.5 CPU seconds, 200.0 MB at most",
        "instrument": {"@id": "code/workflow/scripts/simulate.py"},
        "object": [
            {"@id": "results/.recipes/r1.json"},
            {"@id": f"#parameters-{QUOTED}"},
            {"@id": f"#seeds-{QUOTED}"},
        ],
        "result": [{"@id": QUOTED}],
        "startTime": "2026-01-02T10:00:10+00:00",  # 20 s before its end
        "endTime": "2026-01-02T10:00:30+00:00",
    }
    seeds = {"@id": f"#seeds-{QUOTED}", "@type": "PropertyValue", "name": "seeds"}
    assert entities[f"#seeds-{QUOTED}"] == seeds | {"value": "0..9, 10..14"}
    said = json.loads(entities[f"#parameters-{QUOTED}"]["value"])
    assert said == RECIPES["r1"]["said"]
    assert list(said) == ["job", "z"]
    second = entities[f"#job-{TABLE}"]
    assert [e["@id"] for e in second["object"]] == [
        QUOTED, "results/.recipes/r2.json", f"#parameters-{TABLE}",
    ]  # fmt: skip
    assert f"#seeds-{TABLE}" not in entities
    assert len([id for id in entities if id.startswith("#job-")]) == 2


def test_what_is_said_of_the_run_and_of_the_files(made):
    entities = Archive(made).entities
    run = {"@id": "#run", "@type": "CreateAction", "name": "The run of the workflow"}
    run |= {"instrument": {"@id": "code/Snakefile"}}
    run |= {"object": [{"@id": "run-config.json"}, {"@id": "code/envs/requirements.lock"}]}
    run |= {"result": [{"@id": TABLE}, {"@id": QUOTED}]}  # in the order of their logs
    run |= {"startTime": "2026-01-02T10:00:10+00:00", "endTime": "2026-01-03T10:01:00+00:00"}
    assert entities["#run"] == run
    root = entities["./"]
    assert root["datePublished"] == "2026-01-03"
    files = {name for name in ZipFile(made).namelist() if name != "ro-crate-metadata.json"}
    assert {e["@id"] for e in root["hasPart"]} == files | {"code/"}
    named = [e["@id"] for e in root["mentions"]]
    assert named == ["#run", f"#job-{TABLE}", f"#job-{QUOTED}"]
    text = b"text of Snakefile\n"
    snakefile = entities["code/Snakefile"]
    assert snakefile["contentSize"] == str(len(text))
    assert snakefile["sha256"] == hashlib.sha256(text).hexdigest()
    assert snakefile["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    script = entities["code/workflow/scripts/simulate.py"]
    assert script["@type"] == ["File", "SoftwareSourceCode"]
    assert script["version"] == snakefile["version"]
    assert len(script["version"]) == 40
    kinds = {n: entities[n]["encodingFormat"] for n in (TABLE, "code/Snakefile")}
    assert kinds == {TABLE: "text/csv", "code/Snakefile": "text/plain"}
    table = entities[TABLE]
    assert (table["@type"], table["name"]) == ("File", "e.csv")
    assert "exampleOfWork" not in table
    for name, parameter in (("run-config.json", "#configuration"), (archive.LOCK, "#lock")):
        assert entities[name]["exampleOfWork"] == {"@id": parameter}
        assert entities[parameter]["workExample"] == {"@id": name}
    versions = {e.get("version") for id, e in entities.items() if id in archive.PROFILES}
    assert versions == {"0.5", "1.0"}


def test_a_folder_without_finished_jobs_is_refused(tmp_path):
    write_text("Traceback", tmp_path / "logs/draw/x.log")
    with pytest.raises(InputError, match="no finished jobs"):
        archive.jobs_of(tmp_path)


def test_errata_are_taken_along_by_their_list(tmp_path):
    for name in ("index.csv", "b.pdf", "a.pdf", "note.txt"):
        write_text("x", tmp_path / "errata" / name)
    listed = archive._beside([f"{tmp_path}/errata/index.csv", f"{tmp_path}/paper.pdf"])
    assert listed == [f"{tmp_path}/errata/a.pdf", f"{tmp_path}/errata/b.pdf"]


# Verifying


def hurt(made, out, change):
    """A copy of the archive, each file as `change` gives it; None: left out."""
    whole = ZipFile(made)
    with ZipFile(out, "w", ZIP_DEFLATED) as copy:
        for name in whole.namelist():
            data = change(name, whole.read(name))
            if data is not None:
                copy.writestr(name, data)
    return out


def in_table(change):
    return lambda name, data: change(data) if name == TABLE else data


def in_crate(change):
    """What changes the entities, given by their ids."""

    def changed(name, data):
        if name != archive.METADATA:
            return data
        crate = json.loads(data)
        change({entity["@id"]: entity for entity in crate["@graph"]}, crate["@graph"])
        return json.dumps(crate).encode()

    return changed


def drop_recipe(entities, _):
    del entities[f"#job-{TABLE}"]["object"][1]


HARMS = {
    f"{TABLE}: changed": in_table(lambda data: data.replace(b"1", b"2", 1)),
    f"{TABLE}: missing": in_table(lambda _: None),
    f"{TABLE}: not described": in_crate(lambda ids, _: ids[TABLE].pop("sha256")),
    f"{QUOTED}: not what its recipe says": in_crate(
        lambda ids, _: ids[f"#seeds-{QUOTED}"].update(value="1..9")
    ),
    f"{TABLE}: not what its recipe says": in_crate(drop_recipe),
    f"{TABLE}: no job has made it": in_crate(lambda ids, graph: graph.remove(ids[f"#job-{TABLE}"])),
}


@pytest.mark.parametrize("said", HARMS)
def test_each_damage_is_named_and_nothing_else(made, tmp_path, said):
    assert Archive(made).damaged() == []
    assert Archive(hurt(made, tmp_path / "hurt.zip", HARMS[said])).damaged() == [said]


def test_a_job_without_its_recipe_contradicts_it(made, tmp_path):
    gone = hurt(made, tmp_path / "x.zip", lambda n, d: None if n.endswith("r2.json") else d)
    assert Archive(gone).contradicted() == [f"{TABLE}: not what its recipe says"]


def test_packed_bytes_that_do_not_unpack_are_damage(made, tmp_path):
    entry, raw = ZipFile(made).getinfo(TABLE), made.read_bytes()
    place = entry.header_offset + 30 + len(TABLE)
    path = tmp_path / "hurt.zip"
    path.write_bytes(raw[:place] + bytes([raw[place] ^ 6]) + raw[place + 1 :])
    assert Archive(path).damaged() == [f"{TABLE}: changed"]


def test_what_is_no_archive_is_said_in_a_line(made, tmp_path):
    path = tmp_path / "hurt.zip"
    path.write_bytes(made.read_bytes()[:-100])
    with pytest.raises(InputError, match="no archive of a run"):
        Archive(path)
    hurt(made, path, in_crate(lambda _, graph: graph[5].pop("@id")))
    with pytest.raises(InputError, match="no archive of a run"):
        Archive(path)


def held(**made_of):
    """An archive of these actions alone: output -> (begin and end in seconds, inputs)."""
    found = object.__new__(Archive)
    found.entities = {"./": {}}
    for name, (begin, end, inputs) in made_of.items():
        ends = (("start", begin), ("end", end))
        times = {f"{which}Time": f"2026-01-01T00:00:{t:02}+00:00" for which, t in ends}
        read = [{"@id": i} for i in inputs]
        found.entities[f"#job-{name}"] = times | {"object": read, "result": [{"@id": name}]}
    return found


RAN = {
    "r/simulations/0": (0, 9, ["lock"]),
    "r/tables/hu/a.csv": (9, 11, ["r/simulations/0", "recipe"]),  # 9 + 2
    "r/tables/hu/b.csv": (0, 12, []),
    "r/tables/us/c.csv": (3, 59, []),
    "r/claims/hu/verdicts.csv": (0, 1, ["r/tables/hu/a.csv"]),
    "r/tables/us/c.tex": (0, 1, []),
}


def test_what_tables_cost_and_which_are_made_anew():
    """Simulations included; of each paper the cheapest is the sample."""
    found = held(**RAN)
    costs = {"r/tables/hu/a.csv": 11, "r/tables/hu/b.csv": 12, "r/tables/us/c.csv": 56}
    assert found.costs() == costs
    assert found.sample() == ["r/tables/hu/a.csv", "r/tables/us/c.csv"]
    assert found.named(["us/c", "hu/b"]) == ["r/tables/us/c.csv", "r/tables/hu/b.csv"]
    with pytest.raises(InputError, match="no table hu/x; allowed: hu/a, hu/b, us/c"):
        found.named(["hu/x"])


def test_tables_are_made_from_the_archived_code_and_configuration(made, monkeypatch):
    asked = {}

    def run(command, cwd, env, **said):
        assert said == {"capture_output": True, "text": True}
        held = {p.relative_to(cwd.parent).as_posix() for p in cwd.parent.rglob("*") if p.is_file()}
        asked.update(command=command, files=held, path=env["PYTHONPATH"], code=str(cwd))
        (cwd / TABLE).parent.mkdir(parents=True)
        (cwd / TABLE).write_bytes(b"n\n2\n")
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(verify.subprocess, "run", run)
    found = Archive(made)
    tables = found.made_anew([TABLE], 3)
    assert tables == {TABLE: b"n\n2\n"}
    assert asked["files"] == {"run-config.json", *(f"code/{name}" for name in TRACKED)}
    assert asked["path"] == f"{asked['code']}/src"
    command = " ".join(asked["command"])
    assert "-m snakemake --cores 3 --workflow-profile workflow/profiles/default " in command
    assert command.endswith(f"--configfile ../run-config.json -- {TABLE}")
    assert found.differing(tables) == [f"{TABLE}: comes out otherwise"]
    assert found.differing({TABLE: b"n\n1\n"}) == []
    failed = SimpleNamespace(returncode=1, stderr=f"long ago{'.' * 1990}the reason")
    monkeypatch.setattr(verify.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(InputError, match=r"does not run: \.{1990}the reason$"):
        found.made_anew([TABLE], 1)
