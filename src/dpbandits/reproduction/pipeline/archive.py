"""Put a run into one zip file, a Workflow RO-Crate: results, code at its commit, lock, config.

`sha256sum -c manifest-sha256.txt` in the unpacked folder checks every file.
"""

import json
import subprocess
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, files_in

FOLDERS = ("simulations", "tables", "claims", "figures", "notebooks", "benchmarks")
METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.3"
PROFILE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"


def write(results: Path, config: dict[str, Any], out: str | Path) -> None:
    """Write the archive of a complete run of the checkout in the current folder."""
    if changed := _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!figures"):
        raise InputError(f"archive: commit first what is changed: {changed.split()[1]}, ...")
    paths = [path for name in FOLDERS for path in files_in(results / name)]
    paths += [path for path in results.glob("*.*") if path.suffix in (".html", ".txt")]
    contents = {path.as_posix(): path.read_bytes() for path in paths}
    code = map(Path, _git("ls-files", "-z", "--", ".", ":!figures").strip("\0").split("\0"))
    contents |= {f"code/{path.as_posix()}": path.read_bytes() for path in code if path.is_file()}
    contents["run-config.json"] = json.dumps(config, indent=1, sort_keys=True).encode()
    contents[METADATA] = json.dumps(crate(contents, _git("rev-parse", "HEAD").strip())).encode()
    sums = (f"{sha256(data).hexdigest()}  {name}\n" for name, data in sorted(contents.items()))
    contents["manifest-sha256.txt"] = "".join(sums).encode()
    with atomic(out) as temporary, ZipFile(temporary, "w", ZIP_DEFLATED) as archive:
        for name, data in sorted(contents.items()):
            archive.writestr(ZipInfo(name), data, ZIP_DEFLATED)  # of a fixed date


def crate(contents: dict[str, bytes], commit: str) -> dict[str, Any]:
    """The metadata: what each file is, and that the Snakefile at its commit made them."""
    ids = lambda *names: [{"@id": name} for name in names]  # noqa: E731
    size = lambda data: {"contentSize": str(len(data)), "sha256": sha256(data).hexdigest()}  # noqa: E731
    files = [{"@id": n, "@type": "File"} | size(data) for n, data in sorted(contents.items())]
    (workflow,) = (file for file in files if file["@id"] == "code/Snakefile")
    workflow |= {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "dpbandits", "version": commit, "programmingLanguage": {"@id": LANGUAGE},
    }  # fmt: skip
    root = {
        "@id": "./", "@type": "Dataset", "name": "A run of dpbandits",
        "description": "Results of the reproduction of papers on private decision making, with the "
        "code, the lock and the configuration that made them",
        "datePublished": datetime.now(UTC).date().isoformat(),
        "license": {"@id": "https://spdx.org/licenses/MIT"}, "conformsTo": {"@id": PROFILE},
        "mainEntity": {"@id": "code/Snakefile"}, "hasPart": ids(*sorted(contents)),
    }  # fmt: skip
    about = {"@id": METADATA, "@type": "CreativeWork", "about": {"@id": "./"},
             "conformsTo": {"@id": SPECIFICATION}}  # fmt: skip
    others = [
        {"@id": "https://spdx.org/licenses/MIT", "@type": "CreativeWork", "name": "MIT License"},
        {"@id": PROFILE, "@type": ["CreativeWork", "Profile"], "name": "Workflow RO-Crate"},
        {"@id": LANGUAGE, "@type": "ComputerLanguage", "name": "Snakemake",
         "version": version("snakemake"), "url": {"@id": "https://snakemake.readthedocs.io"}},
    ]  # fmt: skip
    terms = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
    graph = [about, root, *others, *files]
    return {"@context": [f"{SPECIFICATION}/context", terms], "@graph": graph}


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"archive: git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout
