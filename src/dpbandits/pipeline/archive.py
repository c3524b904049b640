"""One file that holds a run: its results, the code at its commit, the lock, the configuration.

A zip with an RO-Crate after the profile Workflow Run: every file by its SHA-256, and for every job
its rule, what it read and wrote, its command with the seeds that it simulated, and when it ran.
Which job made what, Snakemake says (`--detailed-summary`); how long it took, its benchmark file.
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
from dpbandits.pipeline import benchmarks, snakemake
from dpbandits.pipeline.plan import Plan

METADATA = "ro-crate-metadata.json"
RUN_CONFIG = "run-config.json"
CODE = "code/"
WORKFLOW = "code/Snakefile"
COMMANDS = "code/src/dpbandits/pipeline/__main__.py"  # what every rule runs
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
    """The archive of a run that is complete, made in the checkout that is the current folder."""
    jobs = jobs_of(summary(plan, config), plan)
    held = {quote(path): Path(path).read_bytes() for job in jobs for path in job["outputs"]}
    held |= {f"{CODE}{quote(path)}": Path(path).read_bytes() for path in tracked()}
    held[RUN_CONFIG] = json.dumps(config, indent=1, sort_keys=True).encode()
    crate = {"@context": [CONTEXT, TERMS], "@graph": graph(jobs, held, commit())}
    held[METADATA] = json.dumps(crate, indent=1).encode()
    with atomic(out) as temporary, ZipFile(temporary, "w") as archive:
        for name in sorted(held):
            entry = ZipInfo(name)  # of a fixed date: equal contents give equal bytes
            entry.compress_type = ZIP_STORED if Path(name).suffix in COMPRESSED else ZIP_DEFLATED
            archive.writestr(entry, held[name])


def summary(plan: Plan, config: dict[str, Any]) -> list[dict[str, str]]:
    """What Snakemake says of each file of a run: its rule, log, inputs and command."""
    names = ("published.txt", "report.html", "reproduction.pdf")
    wanted = [path for name in names if Path(path := f"{plan.places.results}/{name}").is_file()]
    if not wanted:
        raise InputError(f"{plan.places.results}: no finished run; run `make` first")
    return snakemake.summary(config, "--detailed-summary", wanted)


def jobs_of(summary: Iterable[dict[str, str]], plan: Plan) -> list[dict[str, Any]]:
    """Each job of a run: its rule, outputs, inputs, command, seeds, begin and end."""
    jobs: dict[str, dict[str, Any]] = {}
    for file in summary:
        log = file["log-file(s)"]
        new = {"rule": file["rule"], "log": log, "command": file["shellcmd"], "outputs": []}
        job = jobs.setdefault(log, new | {"inputs": file["input-file(s)"].split(",")})
        job["outputs"].append(file["output_file"])
    for job in jobs.values():
        job["seeds"] = _seeds(plan, job["outputs"][0])
        job["ended"] = max(Path(path).stat().st_mtime for path in job["outputs"])
        took = Path(job["log"].replace("/logs/", "/benchmarks/", 1)).with_suffix(".tsv")
        job["seconds"] = benchmarks.read(took)["s"] if took.is_file() else 0.0
    return list(jobs.values())


def _seeds(plan: Plan, output: str) -> str:
    """The seeds of a simulation: `0..999` for every block of its cells."""
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
    """The commit of the checkout, which must hold all that is there."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!figures")
    if changed:
        raise InputError(f"archive: commit first what is changed: {changed.split()[1]}, ...")
    return _git("rev-parse", "HEAD").strip()


def tracked() -> list[str]:
    """The files of the commit; not figures/, a copy of what the results hold, nor links."""
    names = _git("ls-files", "-z", "--", ".", ":!figures").split("\0")
    return [name for name in names if Path(name).is_file() and not os.path.islink(name)]


def graph(jobs: list[dict[str, Any]], held: dict[str, bytes], revision: str) -> list[Entity]:
    """Every entity of the crate."""
    started = _time(min(job["ended"] - job["seconds"] for job in jobs))
    ended = _time(max(job["ended"] for job in jobs))
    outputs = [quote(path) for job in jobs for path in job["outputs"]]
    files = [_file(name, data, revision) for name, data in sorted(held.items())]
    run = _entity(
        "#run", "CreateAction", name="The run of the workflow", instrument=_id(WORKFLOW),
        object=_ids(PARAMETERS), result=_ids(outputs), startTime=started, endTime=ended,
    )  # fmt: skip
    actions = [run, *(_action(job, held) for job in jobs)]
    root = _entity(
        "./", "Dataset", name="A run of dpbandits", datePublished=ended[:10], license=_id(LICENSE),
        description="Results of the reproduction of papers on private decision making, with the "
        "code, the lock and the configuration that made them",
        conformsTo=_ids(PROFILES), hasPart=_ids([CODE, *sorted(held)]), mainEntity=_id(WORKFLOW),
        mentions=_ids(action["@id"] for action in actions),
    )  # fmt: skip
    specification = "https://w3id.org/ro/crate/1.1"
    about = f"What commit {revision} tracks, but for figures/ and links"
    return [
        _entity(METADATA, "CreativeWork", about=_id("./"), conformsTo=_ids([specification, BASE])),
        root,
        _entity(LICENSE, "CreativeWork", name="MIT License"),
        *(_entity(id, "CreativeWork", name=name, version=id.rpartition("/")[2])
          for id, name in PROFILES.items()),
        _entity(CODE, "Dataset", name="The code", description=about),
        _entity(SNAKEMAKE, "ComputerLanguage", name="Snakemake",
                url="https://snakemake.readthedocs.io"),
        *(_entity(f"#{name}", "FormalParameter", additionalType="File", name=name,
                  workExample=_id(file)) for file, name in PARAMETERS.items()),
        *files,
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
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    entity = _entity(
        name, "File", name=Path(name).name, contentSize=str(len(data)), encodingFormat=kind,
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
    """The command of a job, and the seeds that it simulated."""
    first, values = quote(job["outputs"][0]), {"parameters": job["command"], "seeds": job["seeds"]}
    return [
        _entity(f"#{name}-{first}", "PropertyValue", name=name, value=value)
        for name, value in values.items()
        if value
    ]


def _action(job: dict[str, Any], held: dict[str, bytes]) -> Entity:
    """A job: what it read, wrote, with which parameters, when."""
    first = job["outputs"][0]
    inputs = [name for name in map(quote, job["inputs"]) if name in held]
    return _entity(
        f"#job-{quote(first)}", "CreateAction", name=f"{job['rule']}: {first}",
        instrument=_id(COMMANDS), object=_ids([*inputs, *(v["@id"] for v in _values(job))]),
        result=_ids(map(quote, job["outputs"])), startTime=_time(job["ended"] - job["seconds"]),
        endTime=_time(job["ended"]),
    )  # fmt: skip


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
