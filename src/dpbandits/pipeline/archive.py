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
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic
from dpbandits.pipeline import benchmarks
from dpbandits.pipeline.plan import Plan

METADATA = "ro-crate-metadata.json"
RUN_CONFIG = "run-config.json"
CODE = "code/"
WORKFLOW = "code/Snakefile"
COMMANDS = "code/src/dpbandits/pipeline/__main__.py"  # what every rule runs
LOCK = "code/envs/requirements.lock"
SMALL_ALREADY = {".pdf", ".png", ".parquet"}
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
LICENSE = "https://spdx.org/licenses/MIT"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
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
            entry.compress_type = ZIP_STORED if Path(name).suffix in SMALL_ALREADY else ZIP_DEFLATED
            archive.writestr(entry, held[name])


def summary(plan: Plan, config: dict[str, Any]) -> list[dict[str, str]]:
    """What Snakemake says of each file of a run: its rule, log, inputs and command."""
    names = ("published.txt", "report.html", "reproduction.pdf")
    wanted = [path for name in names if Path(path := f"{plan.places.results}/{name}").is_file()]
    if not wanted:
        raise InputError(f"{plan.places.results}: no finished run; run `make` first")
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "config.json")
        settings.write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--detailed-summary", "--nolock"]
        command += ["--configfile", str(settings), "--", *wanted]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"snakemake --detailed-summary: {done.stderr.strip()[-2000:]}")
    head, *rows = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return [dict(zip(head, row, strict=True)) for row in rows]


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
    outputs = [quote(path) for job in jobs for path in job["outputs"]]
    actions = [entity for job in jobs for entity in _action(job, held)]
    ends = [job["ended"] for job in jobs]
    starts = [job["ended"] - job["seconds"] for job in jobs]
    run = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "The run of the workflow",
        "instrument": {"@id": WORKFLOW},
        "object": _ids([RUN_CONFIG, LOCK]),
        "result": _ids(outputs),
        "startTime": _time(min(starts)),
        "endTime": _time(max(ends)),
    }
    files = [_file(name, data, revision) for name, data in sorted(held.items())]
    mentioned = [run, *(entity for entity in actions if entity["@type"] == "CreateAction")]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": "A run of dpbandits",
        "description": "Results of the reproduction of papers on private decision making, with "
        "the code, the lock and the configuration that made them",
        "datePublished": _time(max(ends))[:10],
        "license": {"@id": LICENSE},
        "conformsTo": _ids(PROFILES),
        "hasPart": _ids([CODE, *(entity["@id"] for entity in files)]),
        "mainEntity": {"@id": WORKFLOW},
        "mentions": _ids(entity["@id"] for entity in mentioned),
    }
    return [*_frame(revision), root, *files, run, *actions]


def _ids(names: Iterable[str]) -> list[Entity]:
    return [{"@id": name} for name in names]


def _frame(revision: str) -> list[Entity]:
    """What is the same in every crate but for the commit."""
    parameters = {"configuration": RUN_CONFIG, "lock": LOCK}
    return [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": _ids(
                [
                    "https://w3id.org/ro/crate/1.1",
                    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
                ]
            ),
        },
        {"@id": LICENSE, "@type": "CreativeWork", "name": "MIT License"},
        *(
            {"@id": id, "@type": "CreativeWork", "name": name, "version": id.rpartition("/")[2]}
            for id, name in PROFILES.items()
        ),
        {
            "@id": CODE,
            "@type": "Dataset",
            "name": "The code",
            "description": f"What commit {revision} tracks, but for figures/ and links",
        },
        {
            "@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake",
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "url": "https://snakemake.readthedocs.io",
        },
        *(
            {
                "@id": f"#{name}",
                "@type": "FormalParameter",
                "additionalType": "File",
                "name": name,
                "workExample": {"@id": file},
            }
            for name, file in parameters.items()
        ),
    ]


def _file(name: str, data: bytes, revision: str) -> Entity:
    entity: Entity = {
        "@id": name,
        "@type": "File",
        "name": Path(name).name,
        "contentSize": str(len(data)),
        "encodingFormat": mimetypes.guess_type(name)[0] or "text/plain",
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    if name == COMMANDS:
        entity |= {"@type": ["File", "SoftwareSourceCode"], "version": revision}
    if name == WORKFLOW:
        entity |= {
            "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            "name": "dpbandits",
            "programmingLanguage": {
                "@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
            },
            "version": revision,
            "license": {"@id": LICENSE},
            "input": _ids(["#configuration", "#lock"]),
        }
    examples = {RUN_CONFIG: "#configuration", LOCK: "#lock"}
    return entity | ({"exampleOfWork": {"@id": examples[name]}} if name in examples else {})


def _action(job: dict[str, Any], held: dict[str, bytes]) -> list[Entity]:
    """A job: what it read, wrote, with which parameters, when."""
    first = quote(job["outputs"][0])
    said = {"parameters": job["command"], "seeds": job["seeds"]}
    named = {f"#{name}-{first}": (name, value) for name, value in said.items() if value}
    inputs = [name for name in map(quote, job["inputs"]) if name in held]
    action = {
        "@id": f"#job-{first}",
        "@type": "CreateAction",
        "name": f"{job['rule']}: {job['outputs'][0]}",
        "instrument": {"@id": COMMANDS},
        "object": _ids([*inputs, *named]),
        "result": _ids(map(quote, job["outputs"])),
        "startTime": _time(job["ended"] - job["seconds"]),
        "endTime": _time(job["ended"]),
    }
    return [
        action,
        *(
            {"@id": id, "@type": "PropertyValue", "name": name, "value": value}
            for id, (name, value) in named.items()
        ),
    ]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
