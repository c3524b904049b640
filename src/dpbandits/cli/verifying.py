"""`dpbandits verify`: an archive, or a folder of results, against its checksums."""

from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.pipeline import manifest
from dpbandits.pipeline.verify import Archive


def verify(options) -> int:
    if Path(options.archive).is_dir():
        return _folder(Path(options.archive))
    archive = Archive(options.archive)
    if not options.cores.isdigit() or int(options.cores) < 1:
        raise InputError(f"--cores = '{options.cores}': a whole number from 1 up")
    if options.tables == "none":
        tables = []
    else:
        wanted = options.tables.split(",") if options.tables else None
        tables = archive.named(wanted) if wanted else archive.sample()
    problems = archive.damaged()
    print("\n".join(problems) or f"{len(archive.zip.namelist())} files: all as described")
    if tables and not problems:
        problems = archive.differing(archive.made_anew(tables, int(options.cores)))
        print("\n".join(problems) or f"made from scratch, equal: {', '.join(tables)}")
    return 1 if problems else 0


def _folder(results: Path) -> int:
    """A folder of results, as seen from the checkout that made it."""
    known = manifest.read(results)
    if not known:
        raise InputError(f"{results}: no {manifest.NAME}; a whole run of the workflow writes it")
    problems = manifest.damaged(results)
    print("\n".join(problems) or f"{len(known)} files: all as the run left them")
    return 1 if problems else 0
