"""`dpbandits draw`: one figure alone, by the code and from the tables of its notebook."""

from functools import cache, partial
from pathlib import Path

from dpbandits.cli import listing
from dpbandits.core.errors import InputError
from dpbandits.pipeline import CONFIG, kept


def draw(options) -> None:
    entry = listing.known("figures", options.figure)
    if not CONFIG.is_file():
        raise InputError(f"draw: there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    results, made = kept.wanted(entry["paper"], options.scale)
    reads = [f"{results}/{name}" for name in entry["reads"].split(", ")]
    stale = [path for path in reads if path in made and not kept.is_up_to_date(path, made)]
    if options.needs:
        print(*stale, sep="\n", end="\n" if stale else "")
        return
    folder = Path(reads[0]).parent
    tables = _found_now(entry, options.scale) if stale else folder
    out = Path(options.output or f"{results}/figures/{entry['paper']}")
    _draw(entry["name"], tables, out)


def _draw(name: str, tables, out: Path) -> None:
    from dpbandits.pipeline import figures

    print(figures.draw(name, tables, out).we_see)
    print(*sorted(out.glob(f"{name.split('/', 1)[1]}.*")), sep="\n")


def _found_now(entry, scale: str | None):
    """What the figure reads, from what is up to date and else computed now."""
    from dpbandits.core.files import as_read
    from dpbandits.pipeline.ledger import check_all
    from dpbandits.pipeline.tables import load_plan, table

    tables = partial(table, load_plan(scale), entry["paper"])
    if "/claims/" not in entry["name"]:
        return tables
    id = entry["name"].rsplit("/", 1)[1]
    verdicts, points = map(as_read, check_all([id], cache(tables))[:2])
    return {"verdicts": verdicts, "points": points}.get
