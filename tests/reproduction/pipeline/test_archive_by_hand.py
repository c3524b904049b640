"""Archives of a made-up run of two jobs, and damage to them.

The archive of a real run, checked by a validator: tests/workflow/test_archive.py.
"""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from dpbandits.cli import main
from dpbandits.core.errors import InputError
from dpbandits.core.files import write_text
from dpbandits.reproduction.pipeline import archive, snakemake, verify
from dpbandits.reproduction.pipeline.verify import Archive

PART, TABLE = "results/simulations/hu/a b/0.parquet", "results/tables/hu/e.csv"
QUOTED = PART.replace(" ", "%20")
BLOCKS = [(0, 10), (10, 5), (0, 10)]  # first seed and number; the third cell repeats a block
TRACKED = ("Snakefile", "envs/requirements.lock", "src/dpbandits/reproduction/__main__.py")
TRACKED += ("a file.txt", ".gitignore")
SUMMARY = [
    {"output_file": PART, "rule": "simulate", "log-file(s)": "results/logs/simulate/0.log",
     "input-file(s)": "", "shellcmd": "python simulate"},
    {"output_file": TABLE, "rule": "aggregate", "log-file(s)": "results/logs/aggregate/e.log",
     "input-file(s)": PART, "shellcmd": "python aggregate"},
]  # fmt: skip
TSV = "s\th:m:s\tmax_rss\tcpu_time\n{}\t0\t10\t3\n"


class Planned:
    """A plan of one simulation."""

    places = SimpleNamespace(results="results")
    cells = [SimpleNamespace(first_seed=first, seeds=count) for first, count in BLOCKS]
    jobs = {"hu/a b/0": SimpleNamespace(cells=cells)}

    @staticmethod
    def part_path(_):
        return Path(PART)


def git(*words: str) -> None:
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *words], check=True, capture_output=True)


def lay_out() -> None:
    """Make a checkout with a commit, and the results of two jobs, in the current folder."""
    for name in (*TRACKED, "figures/old.csv"):
        write_text(f"text of {name}\n", name)
    Path("link").symlink_to("Snakefile")
    write_text("results/\n", ".gitignore")
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        git(*step)
    for path, text, time in ((PART, "rows", 1000), (TABLE, "n\n1\n", 2000)):
        write_text(text, path)
        os.utime(path, (time, time))
    write_text(TSV.format(20), "results/benchmarks/simulate/0.tsv")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The archive, which has the same bytes when it is written again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("run"))
        patch.setattr(archive, "summary", lambda plan, config: SUMMARY)
        lay_out()
        twice = [Path(name).absolute() for name in ("results/a.zip", "results/b.zip")]
        for path in twice:
            archive.write(Planned, {"scale": "smoke", "a": 1}, path)
        assert twice[0].read_bytes() == twice[1].read_bytes()
        write_text("edited", "Snakefile")
        with pytest.raises(InputError, match="commit first what is changed: Snakefile"):
            archive.commit()
        write_text("text of Snakefile\n", "Snakefile")
        write_text("edited", "figures/old.csv")  # a copy: it may differ
        assert len(archive.commit()) == 40
    return twice[0]


def test_files_of_an_archive(made):
    zip = ZipFile(made)
    names = {PART.replace(" ", "%20"), TABLE, archive.METADATA, "run-config.json"}
    code = {f"code/{name.replace(' ', '%20')}" for name in TRACKED}
    assert set(zip.namelist()) == names | code
    assert json.loads(zip.read("run-config.json")) == {"scale": "smoke", "a": 1}
    assert zip.getinfo(QUOTED).compress_type == ZIP_STORED
    assert zip.getinfo(TABLE).compress_type == ZIP_DEFLATED


def test_description_of_jobs(made):
    entities = Archive(made).entities
    part, table = entities[f"#job-{QUOTED}"], entities[f"#job-{TABLE}"]
    assert part["name"] == f"simulate: {PART}"
    assert entities[f"#seeds-{QUOTED}"]["value"] == "0..9, 10..14"
    assert entities[f"#parameters-{TABLE}"]["value"] == "python aggregate"
    assert f"#seeds-{TABLE}" not in entities
    assert {"@id": QUOTED} in table["object"]
    assert table["result"] == [{"@id": TABLE}]
    assert part["instrument"]["@id"] in entities
    assert part["startTime"] == "1970-01-01T00:16:20.000+00:00"
    assert part["endTime"] == "1970-01-01T00:16:40.000+00:00"
    run = entities["#run"]
    assert (run["startTime"], run["endTime"]) == (part["startTime"], table["endTime"])


def test_folder_without_a_finished_run_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no finished run"):
        archive.summary(Planned, {})


# Verifying


def damaged_copy(made, out, change):
    """A copy of the archive with content `change(name, data)` of each file; None: left out."""
    archive = ZipFile(made)
    with ZipFile(out, "w", ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            data = change(name, archive.read(name))
            if data is not None:
                copy.writestr(name, data)
    return out


def in_table(change):
    return lambda name, data: change(data) if name == TABLE else data


def in_crate(change):
    """A change of the entities, which are given by their ids."""

    def changed(name, data):
        if name != archive.METADATA:
            return data
        crate = json.loads(data)
        change({entity["@id"]: entity for entity in crate["@graph"]}, crate["@graph"])
        return json.dumps(crate).encode()

    return changed


DAMAGES = {
    f"{TABLE}: changed": in_table(lambda data: data.replace(b"1", b"2", 1)),
    f"{TABLE}: missing": in_table(lambda _: None),
    f"{TABLE}: not described": in_crate(lambda ids, _: ids[TABLE].pop("sha256")),
    f"{TABLE}: no job has made it": in_crate(lambda ids, graph: graph.remove(ids[f"#job-{TABLE}"])),
}


@pytest.mark.parametrize("line", DAMAGES)
def test_damage_is_named(made, tmp_path, line):
    assert Archive(made).damaged() == []
    path = damaged_copy(made, tmp_path / "damaged.zip", DAMAGES[line])
    assert Archive(path).damaged() == [line]


@pytest.mark.parametrize("name", ["x\nb changed", "x\x1b[2Jb"])
def test_name_in_an_archive_begins_no_line_of_its_own(made, tmp_path, name, capsys):
    path = Path(shutil.copy(made, tmp_path / "named.zip"))
    with ZipFile(path, "a") as zip:
        zip.writestr(name, b"")
    assert main(["verify", str(path)]) == 1
    lines = capsys.readouterr().out.split("\n")
    assert [line.startswith(("x", "SHA-256 ")) for line in lines] == [True, True, False]
    assert all(line.isprintable() for line in lines)


def test_compressed_bytes_that_do_not_unpack_are_damage(made, tmp_path):
    entry, raw = ZipFile(made).getinfo(TABLE), made.read_bytes()
    place = entry.header_offset + 30 + len(TABLE)
    path = tmp_path / "damaged.zip"
    path.write_bytes(raw[:place] + bytes([raw[place] ^ 6]) + raw[place + 1 :])
    assert Archive(path).damaged() == [f"{TABLE}: changed"]


@pytest.mark.parametrize(("before", "after"), [(b"x", b""), (b"", b"x" * 9), (b"", b"\0" * 22)])
def test_bytes_before_and_after_are_refused(made, tmp_path, before, after):
    path = tmp_path / "more.zip"
    path.write_bytes(before + made.read_bytes() + after)
    with pytest.raises(InputError, match="bytes that belong to no file"):
        Archive(path)


def test_invalid_archive_is_refused(made, tmp_path):
    path = tmp_path / "damaged.zip"
    path.write_bytes(made.read_bytes()[:-100])
    with pytest.raises(InputError, match="no archive of a run"):
        Archive(path)
    damaged_copy(made, path, in_crate(lambda _, graph: graph[5].pop("@id")))
    with pytest.raises(InputError, match="no archive of a run"):
        Archive(path)


def with_entry(name, **changes):
    """A change of an archive: one more file of that name, whose entry says more."""

    def change(zip):
        entry = ZipInfo(name)
        zip.writestr(entry, b"x")
        for key, value in changes.items():
            setattr(entry, key, value)

    return change


def job(**changes):
    return in_crate(lambda ids, _: ids[f"#job-{TABLE}"].update(changes))


def description(text):
    return lambda name, data: text if name == archive.METADATA else data


HOSTILE = {  # what is changed -> what the line says
    "name that leads out": (with_entry("code/../../out"), "a file named 'code/../../out'"),
    "the same, quoted": (with_entry("code/%2e%2e/%2e%2e/out"), "a file named"),
    "absolute name": (with_entry("/etc/out"), "a file named"),
    "folders of Windows": (with_entry("code\\out"), "a file named"),
    "name of 5,000 letters": (with_entry("code/" + "a/" * 2500), "a file named"),
    "same name twice": (with_entry(TABLE), f"{TABLE} is there twice"),
    "same file twice": (with_entry("code/%53nakefile"), "code/Snakefile is there twice"),
    "encrypted": (with_entry("code/x", flag_bits=1), "encrypted"),
    "unknown compression": (with_entry("code/x", compress_type=99), "packed in another way"),
    "8 GB": (with_entry("code/x", file_size=8 * 10**9), "bytes unpacked"),
    "long description": (description(b" " * (10**8 + 1)), "more than 100,000,000 bytes"),
    "no description": (description(None), "no item"),
    "description is no JSON": (description(b"{"), "JSON"),
    "description is a list": (description(b"[]"), "indices"),
    "deep description": (description(b"[" * 10**5), "inside"),
    "entity is a number": (in_crate(lambda _, graph: graph.append(3)), "valid dictionary"),
    "id is a number": (in_crate(lambda ids, _: ids[TABLE].update({"@id": 3})), "valid string"),
    "described twice": (in_crate(lambda ids, graph: graph.append(ids[TABLE])), "described twice"),
    "job without a time": (job(startTime=None), "startTime"),
    "job of a wrong time": (job(endTime="2026-13-45"), "endTime"),
    "result is a text": (job(result="x"), "result"),
    "table made of itself": (job(object=[{"@id": TABLE}]), "is made of itself"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_archive_is_refused_in_one_line(made, tmp_path, case, capsys, monkeypatch):
    change, words = HOSTILE[case]
    path = tmp_path / "in/a.zip"
    path.parent.mkdir()
    monkeypatch.chdir(path.parent)
    try:
        damaged_copy(made, path, change)
    except TypeError:  # a change of the zip itself
        shutil.copy(made, path)
        with ZipFile(path, "a") as zip:
            change(zip)
    assert main(["verify", "a.zip", "--run-code"]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert words in line
    there = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*")}
    assert there == {"in", "in/a.zip"}


def test_code_of_an_archive_runs_on_request_alone(made, monkeypatch, capsys):
    monkeypatch.setattr(verify, "snakemake", lambda *words, **_: pytest.fail("its code was run"))
    assert main(["verify", str(made)]) == 0
    assert "all as described in it" in capsys.readouterr().out
    assert main(["verify", str(made), "--tables", "hu/e"]) == 2


def test_rewritten_archive_differs_from_a_checksum_of_elsewhere(made, tmp_path, capsys):
    """The hashes in it can be rewritten along with a file."""

    def rewritten(name, data):
        new = hashlib.sha256(b"n\n2\n").hexdigest()
        crate = in_crate(lambda ids, _: ids[TABLE].update(sha256=new))
        return b"n\n2\n" if name == TABLE else crate(name, data)

    path = damaged_copy(made, tmp_path / "rewritten.zip", rewritten)
    right = hashlib.sha256(made.read_bytes()).hexdigest()
    for file, digits, code in ((path, None, 0), (path, right, 1), (made, right.upper(), 0)):
        assert main(["verify", str(file), *(("--sha256", digits) if digits else ())]) == code
    assert "NOT the expected one" in capsys.readouterr().out
    assert main(["verify", str(made), "--sha256", right[1:]]) == 2


def archive_of(**jobs):
    """An archive of jobs alone: output -> (begin and end in seconds, inputs)."""
    result = object.__new__(Archive)
    result.entities = {"./": {}}
    for name, (start, end, inputs) in jobs.items():
        times = {"startTime": start, "endTime": end}
        times = {key: f"2026-01-01T00:00:{t:02}+00:00" for key, t in times.items()}
        objects = {"object": [{"@id": i} for i in inputs], "result": [{"@id": name}]}
        result.entities[f"#job-{name}"] = times | objects
    result.jobs = verify.jobs_in(result.entities)
    return result


RAN = {
    "r/simulations/0": (0, 9, ["lock"]),
    "r/tables/hu/a.csv": (9, 11, ["r/simulations/0", "recipe"]),  # 9 + 2
    "r/tables/hu/b.csv": (0, 12, []),
    "r/tables/us/c.csv": (3, 59, []),
    "r/claims/hu/verdicts.csv": (0, 1, ["r/tables/hu/a.csv"]),
    "r/tables/us/c.tex": (0, 1, []),
}


def test_costs_of_tables_and_the_sample():
    """Simulations count; the sample is the cheapest table of each paper."""
    archive = archive_of(**RAN)
    costs = {"r/tables/hu/a.csv": 11, "r/tables/hu/b.csv": 12, "r/tables/us/c.csv": 56}
    assert archive.costs() == costs
    assert archive.sample() == ["r/tables/hu/a.csv", "r/tables/us/c.csv"]
    assert archive.named(["us/c", "hu/b"]) == ["r/tables/us/c.csv", "r/tables/hu/b.csv"]
    deep = archive_of(**{"results/smoke/tables/hu/a.csv": (0, 1, [])})
    assert deep.named(["hu/a"]) == ["results/smoke/tables/hu/a.csv"]
    with pytest.raises(InputError, match="no table hu/x; allowed: hu/a, hu/b, us/c"):
        archive.named(["hu/x"])


def test_tables_are_computed_from_the_archived_code_and_configuration(made, monkeypatch):
    call = {}

    def run(config, *words, cwd, env):
        files = {p.relative_to(cwd.parent).as_posix() for p in cwd.parent.rglob("*") if p.is_file()}
        call.update(config=config, files=files, path=env["PYTHONPATH"], source=f"{cwd}/src")
        write_text("n\n2\n", cwd / TABLE)

    monkeypatch.setattr(verify, "snakemake", run)
    archive = Archive(made)
    tables = archive.computed_again([TABLE], 3)
    assert call["files"] == {f"code/{name}" for name in TRACKED}
    assert call["path"] == call["source"]
    assert call["config"] == {"scale": "smoke", "a": 1}
    assert archive.differing(tables) == [f"{TABLE}: comes out otherwise"]
    assert archive.differing({TABLE: b"n\n1\n"}) == []


def test_error_of_snakemake_is_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="snakemake --summary failed"):
        snakemake.summary({}, "--summary", ["a"])
