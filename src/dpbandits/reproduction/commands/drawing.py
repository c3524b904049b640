"""`dpbandits draw`: one figure alone, with the code and the tables that its notebook uses."""

from functools import cache, partial
from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import CONFIG


def draw(figure: str, scale: str | None, output: Path | None, needs: bool) -> None:
    from dpbandits.reproduction.pipeline import figures
    from dpbandits.reproduction.pipeline.tables import load_plan, up_to_date

    entry = figures.get_figure(figure)
    if not CONFIG.is_file():
        raise InputError(f"draw: there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    plan = load_plan(scale, entry.paper)
    results = Path(plan.places.results)
    reads = [f"{results}/{path}" for path in entry.needs]
    if needs:
        print(*reads, sep="\n")
        return
    folder, out = results / "tables" / entry.paper, output or results / "figures" / entry.paper
    ready = up_to_date(plan, reads)
    tables = folder if ready.issuperset(reads) else _computed_tables(entry, plan, ready)
    figures.draw(entry.name, tables, out, figures.scale_of(folder))
    print(Path(out, f"{entry.file}.txt").read_text(encoding="utf-8"))
    print(*sorted(out.glob(f"{entry.file}.*")), sep="\n")


def _computed_tables(entry, plan, ready: set[str]):
    """A function from the name of a table to the table, read if it is in `ready`, else computed;
    of the ledger, the rows of the claims that the figure names."""
    from dpbandits.reproduction.files import as_read
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.pipeline.ledger import check_all
    from dpbandits.reproduction.pipeline.tables import table
    from dpbandits.reproduction.plots.figures import EVERY, LEDGER

    tables = cache(partial(table, plan, entry.paper, ready=ready))

    @cache
    def ledger():
        named = {name.split(" (")[0] for name in entry.claims}
        ids = [id for id in claims(entry.paper) if entry.claims == EVERY or id in named]
        return dict(zip(LEDGER, map(as_read, check_all(ids, tables)[:2]), strict=True))

    return lambda name: ledger()[name] if name in LEDGER else tables(name)
