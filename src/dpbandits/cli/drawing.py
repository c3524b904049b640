"""`dpbandits draw`: one figure alone, by the code and from the tables of its notebook."""

from functools import cache, partial
from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.core.words import readable
from dpbandits.pipeline import CONFIG, kept


def draw(options) -> None:
    from dpbandits.pipeline import captions, figures

    entry = figures.get_figure(options.figure)
    if not CONFIG.is_file():
        raise InputError(f"draw: there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    results, made = kept.wanted(entry.paper, options.scale)
    folder = Path(results, entry.folder, entry.paper)
    reads = [f"{folder}/{name}.csv" for name in entry.reads]
    stale = [path for path in reads if path in made and not kept.is_up_to_date(path, made)]
    if options.needs:
        print(*stale, sep="\n", end="\n" if stale else "")
        return
    scale = captions.scale_of(folder)
    tables = _found_now(entry, options.scale, made) if stale else folder
    out = Path(options.output or f"{results}/figures/{entry.paper}")
    print(readable(figures.draw(entry.name, tables, out, scale).we_see))
    print(*sorted(out.glob(f"{entry.name.split('/', 1)[1]}.*")), sep="\n")


def _found_now(entry, scale: str | None, made: kept.Made):
    """What the figure reads, from what is up to date and else computed now."""
    from dpbandits.core.files import as_read
    from dpbandits.pipeline.ledger import check_all
    from dpbandits.pipeline.tables import load_plan, table

    tables = cache(partial(table, load_plan(scale, entry.paper), entry.paper, made=made))
    if entry.folder == "tables":
        return tables
    verdicts, points = map(as_read, check_all([entry.name.rsplit("/", 1)[1]], tables)[:2])
    return {"verdicts": verdicts, "points": points}.get
