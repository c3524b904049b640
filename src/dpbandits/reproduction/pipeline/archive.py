"""Put a run into one zip file: its results, the code at its commit, the lock, the configuration.

The file is an RO-Crate of the profile Workflow Run, which describes every file with its SHA-256,
and every job with its rule, inputs, outputs, command, seeds and times. The jobs and their files are
from Snakemake's `--detailed-summary`, the times from their benchmark files.
"""

import hashlib
import json
import mimetypes
import os
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic
from dpbandits.reproduction.pipeline import benchmarks, snakemake
from dpbandits.reproduction.pipeline.plan import Plan

METADATA = "ro-crate-metadata.json"
RUN_CONFIG = "run-config.json"
CODE = "code/"
WORKFLOW = "code/Snakefile"
COMMANDS = "code/src/dpbandits/reproduction/__main__.py"  # which every rule runs
LOCK = "code/envs/requirements.lock"
COMPRESSED = {".pdf", ".png", ".parquet"}
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
LICENSE = "https://spdx.org/licenses/MIT"
BASE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
PARAMETERS = {RUN_CONFIG: "configuration", LOCK: "lock"}
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    BASE: "Workflow RO-Crate",
}
Entity = dict[str, Any]


def write(plan: Plan, config: dict[str, Any], out: str | Path) -> None:
    """Write the archive of a complete run of the checkout in the current folder."""
    jobs = jobs_of(summary(plan, config), plan)
    contents = {quote(path): Path(path).read_bytes() for job in jobs for path in job["outputs"]}
    contents |= {f"{CODE}{quote(path)}": Path(path).read_bytes() for path in tracked()}
    contents[RUN_CONFIG] = json.dumps(config, indent=1, sort_keys=True).encode()
    crate = {"@context": [CONTEXT, TERMS], "@graph": graph(jobs, contents, commit())}
    contents[METADATA] = json.dumps(crate, indent=1).encode()
    with atomic(out) as temporary, ZipFile(temporary, "w") as archive:
        for name in sorted(contents):
            entry = ZipInfo(name)  # with a fixed date, so that equal contents give equal bytes
            entry.compress_type = ZIP_STORED if Path(name).suffix in COMPRESSED else ZIP_DEFLATED
            archive.writestr(entry, contents[name])


def summary(plan: Plan, config: dict[str, Any]) -> list[dict[str, str]]:
    """Snakemake's summary of a run: the rule, log, inputs and command of each output."""
    names = ("published.txt", "report.html", "reproduction.pdf")
    paths = [f"{plan.places.results}/{name}" for name in names]
    targets = [path for path in paths if Path(path).is_file()]
    if not targets:
        raise InputError(f"{plan.places.results}: no finished run; run `make` first")
    return snakemake.summary(config, "--detailed-summary", targets)


def jobs_of(summary: Iterable[dict[str, str]], plan: Plan) -> list[dict[str, Any]]:
    """Each job of a run: its rule, command, inputs, outputs, seeds, end, and seconds taken."""
    jobs: dict[str, dict[str, Any]] = {}
    for row in summary:
        log = row["log-file(s)"]
        if log not in jobs:
            inputs = row["input-file(s)"].split(",")
            about = {"rule": row["rule"], "command": row["shellcmd"]}
            jobs[log] = about | {"inputs": inputs, "outputs": []}
        jobs[log]["outputs"].append(row["output_file"])
    for log, job in jobs.items():
        job["seeds"] = _seeds(plan, job["outputs"][0])
        job["ended"] = max(Path(path).stat().st_mtime for path in job["outputs"])
        benchmark = Path(log.replace("/logs/", "/benchmarks/", 1)).with_suffix(".tsv")
        job["seconds"] = benchmarks.read(benchmark)["s"] if benchmark.is_file() else 0.0
    return list(jobs.values())


def _seeds(plan: Plan, output: str) -> str:
    """The blocks of seeds of a simulation, like `0..999`; "" for other outputs."""
    job = next((job for job in plan.jobs.values() if str(plan.part_path(job)) == output), None)
    cells = job.cells if job else ()
    blocks = dict.fromkeys((c.first_seed, c.first_seed + c.seeds - 1) for c in cells)
    return ", ".join(f"{first}..{last}" for first, last in blocks)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"archive: git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def commit() -> str:
    """The commit of the checkout; refused if a tracked file has changed since."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!figures")
    if changed:
        raise InputError(f"archive: commit first what is changed: {changed.split()[1]}, ...")
    return _git("rev-parse", "HEAD").strip()


def tracked() -> list[str]:
    """The files of the commit, without figures/ (copies of results) and links."""
    names = _git("ls-files", "-z", "--", ".", ":!figures").split("\0")
    return [name for name in names if Path(name).is_file() and not os.path.islink(name)]


# --- the entities of the crate --------------------------------------------------------------------
def graph(jobs: list[dict[str, Any]], contents: dict[str, bytes], revision: str) -> list[Entity]:
    """Every entity of the crate."""
    started = _time(min(job["ended"] - job["seconds"] for job in jobs))
    ended = _time(max(job["ended"] for job in jobs))
    outputs = [quote(path) for job in jobs for path in job["outputs"]]
    run = _entity(
        "#run", "CreateAction", name="The run of the workflow", instrument=_id(WORKFLOW),
        object=_ids(PARAMETERS), result=_ids(outputs), startTime=started, endTime=ended,
    )  # fmt: skip
    actions = [run, *(_action(job, contents) for job in jobs)]
    root = _entity(
        "./", "Dataset", name="A run of dpbandits", datePublished=ended[:10], license=_id(LICENSE),
        description="Results of the reproduction of papers on private decision making, with the "
        "code, the lock and the configuration that made them",
        conformsTo=_ids(PROFILES), hasPart=_ids([CODE, *sorted(contents)]),
        mainEntity=_id(WORKFLOW), mentions=_ids(action["@id"] for action in actions),
    )  # fmt: skip
    specification = "https://w3id.org/ro/crate/1.1"
    about_code = f"What commit {revision} tracks, but for figures/ and links"
    return [
        _entity(METADATA, "CreativeWork", about=_id("./"), conformsTo=_ids([specification, BASE])),
        root,
        _entity(LICENSE, "CreativeWork", name="MIT License"),
        *(_entity(id, "CreativeWork", name=name, version=id.rpartition("/")[2])
          for id, name in PROFILES.items()),
        _entity(CODE, "Dataset", name="The code", description=about_code),
        _entity(SNAKEMAKE, "ComputerLanguage", name="Snakemake",
                url="https://snakemake.readthedocs.io"),
        *(_entity(f"#{name}", "FormalParameter", additionalType="File", name=name,
                  workExample=_id(file)) for file, name in PARAMETERS.items()),
        *(_file(name, data, revision) for name, data in sorted(contents.items())),
        *actions,
        *(value for job in jobs for value in _values(job)),
    ]  # fmt: skip


def _entity(id: str, type: str | list[str], **properties: Any) -> Entity:
    return {"@id": id, "@type": type} | properties


def _id(name: str) -> Entity:
    return {"@id": name}


def _ids(names: Iterable[str]) -> list[Entity]:
    return [_id(name) for name in names]


def _file(name: str, data: bytes, revision: str) -> Entity:
    """A file with its size, type and checksum."""
    entity = _entity(
        name, "File", name=Path(name).name, contentSize=str(len(data)),
        encodingFormat=mimetypes.guess_type(name)[0] or "text/plain",
        sha256=hashlib.sha256(data).hexdigest(),
    )  # fmt: skip
    if name in PARAMETERS:
        entity["exampleOfWork"] = _id(f"#{PARAMETERS[name]}")
    if name == COMMANDS:
        entity |= {"@type": ["File", "SoftwareSourceCode"], "version": revision}
    if name == WORKFLOW:
        kinds = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
        entity |= {"@type": kinds, "name": "dpbandits", "version": revision}
        entity |= {"programmingLanguage": _id(SNAKEMAKE), "license": _id(LICENSE)}
        entity["input"] = _ids(f"#{parameter}" for parameter in PARAMETERS.values())
    return entity


def _values(job: dict[str, Any]) -> list[Entity]:
    """The command of a job, and its seeds if it is a simulation."""
    first, values = quote(job["outputs"][0]), {"parameters": job["command"], "seeds": job["seeds"]}
    return [
        _entity(f"#{name}-{first}", "PropertyValue", name=name, value=value)
        for name, value in values.items()
        if value
    ]


def _action(job: dict[str, Any], contents: dict[str, bytes]) -> Entity:
    """A job with its inputs, outputs, command and times."""
    first = job["outputs"][0]
    inputs = [name for name in map(quote, job["inputs"]) if name in contents]
    return _entity(
        f"#job-{quote(first)}", "CreateAction", name=f"{job['rule']}: {first}",
        instrument=_id(COMMANDS), object=_ids([*inputs, *(v["@id"] for v in _values(job))]),
        result=_ids(map(quote, job["outputs"])), startTime=_time(job["ended"] - job["seconds"]),
        endTime=_time(job["ended"]),
    )  # fmt: skip


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
