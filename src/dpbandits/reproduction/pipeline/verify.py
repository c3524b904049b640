"""Check an archive: the hashes of its files, and some of its tables computed again."""

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline.archive import CODE, METADATA, RUN_CONFIG
from dpbandits.reproduction.pipeline.snakemake import snakemake


class Archive:
    """An archive of a run, opened for reading."""

    def __init__(self, path: str | Path) -> None:
        try:
            self.zip = ZipFile(path)
            graph = json.loads(self.zip.read(METADATA))["@graph"]
            self.entities = {entity["@id"]: entity for entity in graph}
        except FileNotFoundError:
            raise InputError(f"verify: {path}: no such folder or file") from None
        except (OSError, BadZipFile, KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError(f"{path}: no archive of a run: {error}") from None

    def damaged(self) -> list[str]:
        """Files that are missing, changed, not described, or not the result of any job."""
        hashes = {id: e["sha256"] for id, e in self.entities.items() if "sha256" in e}
        names = set(self.zip.namelist()) - {METADATA}
        lines = [f"{name}: missing" for name in sorted(hashes.keys() - names)]
        lines += [f"{name}: not described" for name in sorted(names - hashes.keys())]
        for name in sorted(names & hashes.keys()):
            try:
                same = hashlib.sha256(self.zip.read(name)).hexdigest() == hashes[name]
            except (BadZipFile, ValueError, OSError, zlib.error):
                same = False
            if not same:
                lines.append(f"{name}: changed")
        # the description itself has no hash: compare it with the names of the files
        results = {name for name in names if name.startswith("results/")}
        without_job = sorted(results - self._job_of_each_file().keys())
        return lines or [f"{name}: no job has made it" for name in without_job]

    def _job_of_each_file(self) -> dict[str, dict]:
        jobs = [e for id, e in self.entities.items() if id.startswith("#job-")]
        return {result["@id"]: job for job in jobs for result in job["result"]}

    def costs(self) -> dict[str, float]:
        """The seconds that each table took, with its simulations."""
        jobs = self._job_of_each_file()

        def seconds(name: str) -> float:
            if name not in jobs:
                return 0.0
            job = jobs[name]
            start, end = (datetime.fromisoformat(job[key]) for key in ("startTime", "endTime"))
            return (end - start).total_seconds() + sum(seconds(e["@id"]) for e in job["object"])

        tables = [name for name in jobs if "/tables/" in name and name.endswith(".csv")]
        return {name: seconds(name) for name in tables}

    def sample(self) -> list[str]:
        """The table of each paper that took least time."""
        by_paper: dict[str, str] = {}
        costs = self.costs()
        for name in sorted(costs, key=costs.get):
            by_paper.setdefault(Path(name).parent.name, name)
        return list(by_paper.values())

    def named(self, tables: Iterable[str]) -> list[str]:
        """The files of tables given as PAPER/NAME."""
        files = {"/".join(Path(n).with_suffix("").parts[-2:]): n for n in self.costs()}
        for name in tables:
            if name not in files:
                raise InputError(f"verify: no table {name}; allowed: {', '.join(sorted(files))}")
        return [files[name] for name in tables]

    def computed_again(self, tables: list[str], cores: int) -> dict[str, bytes]:
        """The content of tables that are made from the archived code and configuration alone."""
        with tempfile.TemporaryDirectory() as folder:
            for name in self.zip.namelist():
                if name.startswith(CODE):
                    path = Path(folder, unquote(name))
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(self.zip.read(name))
            code = Path(folder, CODE)
            profile = ["--workflow-profile", "workflow/profiles/default"]
            arguments = ["--cores", str(cores), *profile, "--", *map(unquote, tables)]
            environment = os.environ | {"PYTHONPATH": str(code / "src")}
            config = json.loads(self.zip.read(RUN_CONFIG))
            snakemake(config, *arguments, cwd=code, env=environment)
            return {name: (code / unquote(name)).read_bytes() for name in tables}

    def differing(self, tables: dict[str, bytes]) -> list[str]:
        """The tables whose bytes are not those of the archive."""
        names = [name for name, content in tables.items() if content != self.zip.read(name)]
        return [f"{name}: comes out otherwise" for name in names]
