"""`dpbandits draw`: one figure alone, by the code that its notebook uses, from tables that
Snakemake makes if they are not up to date."""

from functools import cache
from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import CONFIG


def draw(figure: str, scale: str | None, output: Path | None) -> None:
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.ledger.prose import EVERY
    from dpbandits.reproduction.pipeline import figures
    from dpbandits.reproduction.pipeline.tables import load_plan, make
    from dpbandits.reproduction.plots.figures import LEDGER
    from dpbandits.reproduction.studies import table_of

    entry = figures.get_figure(figure)
    if not CONFIG.is_file():
        raise InputError(f"draw: there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    plan = load_plan(scale, entry.paper)
    known = claims(entry.paper)
    every = entry.claims == EVERY or (not entry.claims and {*LEDGER} & {*entry.reads})
    names = [*known] if every else [name.split(" (")[0] for name in entry.claims]
    named = [known[name] for name in names]
    reads = {*entry.reads}.union(*(claim.reads for claim in named)).difference(LEDGER)
    make(plan, [plan.table_path(*table_of(entry.paper, name)) for name in sorted(reads)])
    results = Path(plan.places.results)
    folder, out = results / "tables" / entry.paper, output or results / "figures" / entry.paper
    figures.draw(entry.name, _tables(folder, named), out, plan.run.scale)
    print(Path(out, f"{entry.file}.txt").read_text(encoding="utf-8"))
    print(*sorted(out.glob(f"{entry.file}.*")), sep="\n")


def _tables(folder: Path, claims: list):
    """A function from the name of a table to the table; of the ledger, the rows of some claims,
    judged now."""
    from dpbandits.core.files import read_table
    from dpbandits.reproduction.files import as_read
    from dpbandits.reproduction.pipeline.ledger import check_all
    from dpbandits.reproduction.plots.figures import LEDGER

    @cache
    def ledger():
        return dict(zip(LEDGER, map(as_read, check_all(claims, folder)[:2]), strict=True))

    return lambda name: ledger()[name] if name in LEDGER else read_table(folder / f"{name}.csv")
