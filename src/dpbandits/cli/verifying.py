"""`dpbandits verify`: an archive, or a folder of results, against its checksums."""

from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import manifest
from dpbandits.reproduction.pipeline.verify import Archive


def verify(options) -> int:
    path = Path(options.archive)
    if path.is_dir() and (options.tables or options.cores != "1"):
        raise InputError(f"verify {path}: --tables, --cores: allowed: with an archive")
    problems = _folder(path) if path.is_dir() else _archive(options)
    return 1 if problems else 0


def _archive(options) -> list[str]:
    archive = Archive(options.archive)
    if not options.cores.isdigit() or int(options.cores) < 1:
        raise InputError(f"--cores = '{options.cores}': a whole number from 1 up")
    if options.tables == "none":
        tables = []
    elif options.tables:
        tables = archive.named(options.tables.split(","))
    else:
        tables = archive.sample()
    problems = archive.damaged()
    print("\n".join(problems) or f"{len(archive.zip.namelist())} files: all as described")
    if tables and not problems:
        problems = archive.differing(archive.computed_again(tables, int(options.cores)))
        print("\n".join(problems) or f"made from scratch, equal: {', '.join(tables)}")
    return problems


def _folder(results: Path) -> list[str]:
    """Problems of a folder of results; paths are relative to the checkout that made it."""
    files = manifest.read(results)
    if not files:
        raise InputError(f"{results}: no {manifest.NAME}; a whole run of the workflow writes it")
    problems = manifest.damaged(results)
    print("\n".join(problems) or f"{len(files)} files: all as the run left them")
    return problems
