"""`dpbandits draw`: one figure alone, with the code and the tables that its notebook uses."""

from functools import cache, partial
from pathlib import Path

from dpbandits.cli.inputs import writable_folder
from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.plots.words import readable


def draw(options) -> None:
    from dpbandits.reproduction.pipeline import figures, settings
    from dpbandits.reproduction.pipeline.tables import load_plan, up_to_date

    entry = figures.get_figure(options.figure)
    if not CONFIG.is_file():
        raise InputError(f"draw: there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    plan = load_plan(options.scale, entry.paper)
    folder = Path(plan.places.results, entry.folder, entry.paper)
    out = writable_folder(options.output or f"{plan.places.results}/figures/{entry.paper}")
    reads = [f"{folder}/{name}.csv" for name in entry.reads]
    if options.needs:
        print(*reads, sep="\n")
        return
    ready = up_to_date(plan, reads)
    tables = folder if ready.issuperset(reads) else _computed_tables(entry, plan, ready)
    scale = settings.scale_of(folder)
    print(readable(figures.draw(entry.name, tables, out, scale).we_see))
    print(*sorted(out.glob(f"{entry.name.split('/', 1)[1]}.*")), sep="\n")


def _computed_tables(entry, plan, ready: set[str]):
    """A function from the name of a table to the table, read if it is in `ready`, else computed."""
    from dpbandits.core.files import as_read
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.pipeline.ledger import check_all
    from dpbandits.reproduction.pipeline.tables import table

    tables = cache(partial(table, plan, entry.paper, ready=ready))
    if entry.folder == "tables":
        return tables
    verdicts, points = map(as_read, check_all(sorted(claims(entry.paper)), tables)[:2])
    return {"verdicts": verdicts, "points": points}.get
