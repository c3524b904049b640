"""Check an archive: the hashes of its files, and some of its tables computed again.

Anyone may have made the archive, so nothing in it is trusted: it is read in limits, no name in it
leads out of the folder that it is unpacked to, and its code runs only on request. The hashes are in
the archive itself: they show damage, and no change by somebody who wrote new hashes too. For that
the SHA-256 of the whole file must come from elsewhere.
"""

import hashlib
import lzma
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dpbandits.core.documents import parse_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import open_regular
from dpbandits.reproduction.pipeline.archive import CODE, METADATA, RUN_CONFIG
from dpbandits.reproduction.pipeline.snakemake import snakemake

FILES = 10**5
BYTES = 4 * 10**9  # unpacked, of all files
METADATA_BYTES = 10**8
NAME_LENGTH = 1000
UNREADABLE = (BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError,
              zlib.error, lzma.LZMAError)  # fmt: skip


class Named(BaseModel):
    model_config = ConfigDict(strict=True)
    id: str = Field(alias="@id")


class JobEntity(BaseModel):
    """What is read of a job's description."""

    model_config = ConfigDict(strict=True)
    result: list[Named]
    objects: list[Named] = Field(alias="object")
    start: AwareDatetime = Field(alias="startTime", strict=False)
    end: AwareDatetime = Field(alias="endTime", strict=False)


class Archive:
    """An archive of a run, opened for reading."""

    def __init__(self, path: str | Path) -> None:
        try:
            file = open_regular(path)
            self.zip = ZipFile(file)
            _check_ends(file)
            _check_entries(self.zip)
            text = self.zip.read(METADATA).decode()
            graph = parse_json(text, METADATA, METADATA_BYTES)["@graph"]
            TypeAdapter(list[Named]).validate_python(graph)
            repeated = _repeated(entity["@id"] for entity in graph)
            if repeated:
                raise ValueError(f"{repeated} is described twice")
            self.entities = {entity["@id"]: entity for entity in graph}
            self.jobs = jobs_in(self.entities)
        except FileNotFoundError:
            raise InputError(f"verify: {path}: no such folder or file") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(f"{path}: no archive of a run: {place}: {first['msg']}") from None
        except (*UNREADABLE, KeyError, TypeError) as error:
            raise InputError(f"{path}: no archive of a run: {error}") from None

    def damaged(self) -> list[str]:
        """Files that are missing, changed, not described, or not the result of any job."""
        hashes = {id: e["sha256"] for id, e in self.entities.items() if "sha256" in e}
        names = set(self.zip.namelist()) - {METADATA}
        lines = [f"{name}: missing" for name in sorted(hashes.keys() - names)]
        lines += [f"{name}: not described" for name in sorted(names - hashes.keys())]
        for name in sorted(names & hashes.keys()):
            try:
                with self.zip.open(name) as file:
                    same = hashlib.file_digest(file, "sha256").hexdigest() == hashes[name]
            except UNREADABLE:
                same = False
            if not same:
                lines.append(f"{name}: changed")
        # the description itself has no hash: compare it with the names of the files
        results = {name for name in names if name.startswith("results/")}
        without_job = sorted(results - self._job_of_each_file().keys())
        return lines or [f"{name}: no job has made it" for name in without_job]

    def _job_of_each_file(self) -> dict[str, JobEntity]:
        return {result.id: job for job in self.jobs for result in job.result}

    def costs(self) -> dict[str, float]:
        """The seconds that each table took, with its simulations."""
        jobs = self._job_of_each_file()
        known: dict[str, float] = {}
        users: list[str] = []  # what `name` is asked for

        def seconds(name: str) -> float:
            if name in users or len(users) > 100:
                raise InputError(f"{METADATA}: {name} is made of itself, or in over 100 steps")
            if name in jobs and name not in known:
                users.append(name)
                made = sum(seconds(entity.id) for entity in jobs[name].objects)
                known[users.pop()] = (jobs[name].end - jobs[name].start).total_seconds() + made
            return known.get(name, 0.0)

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
            try:
                for name in self.zip.namelist():
                    if name.startswith(CODE):
                        path = Path(folder, unquote(name))
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(self.zip.read(name))
                config = parse_json(self.zip.read(RUN_CONFIG).decode(), RUN_CONFIG)
            except (*UNREADABLE, KeyError) as error:
                raise InputError(f"its code cannot be unpacked: {error}") from None
            code = Path(folder, CODE)
            profile = ["--workflow-profile", "workflow/profiles/default"]
            arguments = ["--cores", str(cores), *profile, "--", *map(unquote, tables)]
            environment = os.environ | {"PYTHONPATH": str(code / "src")}
            snakemake(config, *arguments, cwd=code, env=environment)
            return {name: (code / unquote(name)).read_bytes() for name in tables}

    def differing(self, tables: dict[str, bytes]) -> list[str]:
        """The tables whose bytes are not those of the archive."""
        names = [name for name, content in tables.items() if content != self.zip.read(name)]
        return [f"{name}: comes out otherwise" for name in names]


def jobs_in(entities: dict[str, dict[str, Any]]) -> list[JobEntity]:
    jobs = [entity for id, entity in entities.items() if id.startswith("#job-")]
    return TypeAdapter(list[JobEntity]).validate_python(jobs)


def _repeated(names: Iterable[str]) -> str:
    """A name that stands twice; "" if none does."""
    return next((name for name, count in Counter(names).items() if count > 1), "")


def _check_ends(file: BinaryIO) -> None:
    """Raise ValueError if there is something before the first or after the last part of the zip."""
    first = os.pread(file.fileno(), 4, 0)
    last = os.pread(file.fileno(), 22, os.fstat(file.fileno()).st_size - 22)
    if (first, last[:4], last[20:]) != (b"PK\3\4", b"PK\5\6", b"\0\0"):
        raise ValueError("bytes that belong to no file, at its beginning or end")


def _check_entries(zip: ZipFile) -> None:
    """Raise ValueError if there is too much in it, or an entry that no archive of ours has."""
    entries = zip.infolist()
    if len(entries) > FILES or sum(entry.file_size for entry in entries) > BYTES:
        raise ValueError(f"more than {FILES:,} files, or {BYTES:,} bytes unpacked")
    repeated = _repeated(os.path.normpath(unquote(entry.filename)) for entry in entries)
    if repeated:
        raise ValueError(f"{repeated} is there twice")
    for entry in entries:
        name = unquote(entry.filename)
        parts = name.split("/")
        if {"", ".", ".."} & {*parts} or set("\\\0:") & {*name} or len(name) > NAME_LENGTH:
            raise ValueError(f"a file named {name!r:.100}")
        if entry.flag_bits & 1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ValueError(f"{name}: encrypted, or packed in another way than ours")
    if zip.getinfo(METADATA).file_size > METADATA_BYTES:
        raise ValueError(f"{METADATA}: more than {METADATA_BYTES:,} bytes")
