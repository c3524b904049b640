"""`dpbandits verify ARCHIVE`: re-hash everything, and make a sample of the tables from scratch."""

from dpbandits.core.errors import InputError
from dpbandits.pipeline.verify import Archive


def verify(options) -> int:
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
