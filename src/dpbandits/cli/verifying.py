"""`dpbandits verify`: an archive, or a folder of results, against its checksums."""

import hashlib
import re
from pathlib import Path

from dpbandits.cli.inputs import items, whole_number
from dpbandits.core.errors import InputError, one_line
from dpbandits.core.models import shown
from dpbandits.reproduction.pipeline import manifest
from dpbandits.reproduction.pipeline.verify import Archive


def verify(options) -> int:
    path = Path(options.archive)
    only = [name for name in ("tables", "run_code", "sha256") if getattr(options, name)]
    if path.is_dir() and (only or options.cores != "1"):
        raise InputError(f"verify {path}: a folder; allowed with an archive: --run-code, --sha256")
    problems = _folder(path) if path.is_dir() else _archive(options)
    return 1 if problems else 0


def _archive(options) -> list[str]:
    cores = whole_number(options.cores, "--cores")
    if options.tables and not options.run_code:
        raise InputError("verify --tables: allowed: with --run-code, as it runs the archive's code")
    if options.sha256 and not re.fullmatch("[0-9a-fA-F]{64}", options.sha256):
        raise InputError(f"--sha256 = {shown(options.sha256)}: allowed: 64 hexadecimal digits")
    archive = Archive(options.archive)
    names = items(options.tables, "--tables") if options.tables else []
    tables = archive.named(names) if names else archive.sample() if options.run_code else []
    problems = archive.damaged()
    print(_lines(problems) or f"{len(archive.zip.namelist())} files: all as described in it")
    problems += _whole_file(options.archive, options.sha256)
    if tables and not problems:
        problems = archive.differing(archive.computed_again(tables, cores))
        print(_lines(problems) or f"made from scratch, equal: {', '.join(tables)}")
    return problems


def _lines(problems: list[str]) -> str:
    """One line for each; the names in them are by others, and none may begin a line of its own."""
    return "\n".join(map(one_line, problems))


def _whole_file(path: str, expected: str | None) -> list[str]:
    """Whether the archive is the one whose SHA-256 came from elsewhere."""
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if expected is None:
        print(f"SHA-256 {found}: compare it with one from elsewhere, or give that as --sha256")
        return []
    same = found == expected.lower()
    print(f"SHA-256 {found}: {'as expected' if same else 'NOT the expected one'}")
    return [] if same else [f"SHA-256 {found}"]


def _folder(results: Path) -> list[str]:
    """Problems of a folder of results; paths are relative to the checkout that made it."""
    files = manifest.read(results)
    if not files:
        raise InputError(f"{results}: no {manifest.NAME}; a whole run of the workflow writes it")
    problems = manifest.damaged(results)
    print(_lines(problems) or f"{len(files)} files: all as the run left them")
    return problems
