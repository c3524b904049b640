"""Is an archive what it says? Its bytes against its hashes, and some of its tables made anew."""

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
from dpbandits.pipeline.archive import CODE, METADATA, RUN_CONFIG
from dpbandits.pipeline.snakemake import snakemake


class Archive:
    """An archive opened for reading."""

    def __init__(self, path: str | Path) -> None:
        try:
            self.zip = ZipFile(path)
            graph = json.loads(self.zip.read(METADATA))["@graph"]
            self.entities = {entity["@id"]: entity for entity in graph}
        except (OSError, BadZipFile, KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError(f"{path}: no archive of a run: {error}") from None

    def damaged(self) -> list[str]:
        """Files that are missing, not described, or not what their hash says."""
        hashes = {id: e["sha256"] for id, e in self.entities.items() if "sha256" in e}
        names = set(self.zip.namelist()) - {METADATA}
        found = [f"{name}: missing" for name in sorted(hashes.keys() - names)]
        found += [f"{name}: not described" for name in sorted(names - hashes.keys())]
        for name in sorted(names & hashes.keys()):
            try:
                same = hashlib.sha256(self.zip.read(name)).hexdigest() == hashes[name]
            except (BadZipFile, ValueError, OSError, zlib.error):
                same = False
            found += [] if same else [f"{name}: changed"]
        return found or self.contradicted()

    def contradicted(self) -> list[str]:
        """Results that no job has made: the description is the one file without a hash."""
        jobs = [e for id, e in self.entities.items() if id.startswith("#job-")]
        made = {result["@id"] for job in jobs for result in job["result"]}
        results = {name for name in self.zip.namelist() if name.startswith("results/")}
        return [f"{name}: no job has made it" for name in sorted(results - made)]

    def costs(self) -> dict[str, float]:
        """Tables, as PAPER/NAME, and the seconds that they took, simulations included."""
        made = {
            result["@id"]: action
            for id, action in self.entities.items()
            if id.startswith("#job-")
            for result in action["result"]
        }

        def seconds(name: str) -> float:
            action = made.get(name)
            return (
                _lasted(action) + sum(seconds(e["@id"]) for e in action["object"]) if action else 0
            )

        tables = [n for n in made if "/tables/" in n and n.endswith(".csv")]
        return {name: seconds(name) for name in tables}

    def sample(self) -> list[str]:
        """Of each paper the table that took least."""
        chosen: dict[str, str] = {}
        for name in sorted(costs := self.costs(), key=costs.get):
            chosen.setdefault(Path(name).parent.name, name)
        return [*chosen.values()]

    def named(self, wanted: Iterable[str]) -> list[str]:
        """The files of tables given as PAPER/NAME."""
        known = {"/".join(Path(n).with_suffix("").parts[-2:]): n for n in self.costs()}
        for name in wanted:
            if name not in known:
                raise InputError(f"verify: no table {name}; allowed: {', '.join(sorted(known))}")
        return [known[name] for name in wanted]

    def made_anew(self, tables: list[str], cores: int) -> dict[str, bytes]:
        """Tables made from scratch with the archived code and configuration."""
        with tempfile.TemporaryDirectory() as folder:
            for name in self.zip.namelist():
                if name.startswith(CODE):
                    path = Path(folder, unquote(name))
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(self.zip.read(name))
            code = Path(folder, CODE)
            wanted = [
                "--workflow-profile",
                "workflow/profiles/default",
                "--",
                *map(unquote, tables),
            ]
            environment = os.environ | {"PYTHONPATH": str(code / "src")}
            config = json.loads(self.zip.read(RUN_CONFIG))
            snakemake(config, "--cores", str(cores), *wanted, cwd=code, env=environment)
            return {name: (code / unquote(name)).read_bytes() for name in tables}

    def differing(self, tables: dict[str, bytes]) -> list[str]:
        """Those that are not, to the byte, as archived."""
        return [
            f"{n}: comes out otherwise" for n, data in tables.items() if data != self.zip.read(n)
        ]


def _lasted(action: dict) -> float:
    start, end = (datetime.fromisoformat(action[key]) for key in ("startTime", "endTime"))
    return (end - start).total_seconds()
