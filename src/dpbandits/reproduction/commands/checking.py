"""`dpbandits check`: rows of the ledger, from results that are up to date, otherwise computed."""

import functools
import json
import sys

from dpbandits.core.errors import InputError
from dpbandits.reproduction.commands import claim_named, published_ledger
from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger.claims import claims, get_claim
from dpbandits.reproduction.ledger.formal import theorems, with_coq_result
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import table_of


def check(ids, all: bool, as_json: bool) -> None:
    if all == bool(ids):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    rows = rows_of([*map(claim_named, ids)] or [*claims()])
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(readable("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def rows_of(ids: list[str]) -> list[Row]:
    """The ledger's rows of some claims, in the order of `ids`."""
    rows: list[Row] = []
    if not CONFIG.is_file():  # outside of a checkout
        print("check: no config/config.yaml here: rows of the published ledger", file=sys.stderr)
        rows = published_ledger()
    known = {row["id"] for row in rows}
    rows += _rows([id for id in ids if id not in known])
    proved = theorems()
    return [with_coq_result(row, proved) for id in ids for row in rows if row["id"] == id]


def _rows(ids: list[str]) -> list[Row]:
    """Rows of verdicts that Snakemake calls up to date; the rest is computed."""
    from dpbandits.reproduction.pipeline.tables import load_plan, table, up_to_date

    wanted = [get_claim(id) for id in ids]
    keys = {claim.paper.lower() for claim in wanted}
    plan = load_plan() if CONFIG.is_file() else None
    known = keys & {*plan.papers} if plan else ()
    papers = {f"{plan.places.results}/claims/{key}/verdicts.csv": key for key in known}
    reads = {table_of(claim.paper.lower(), name) for claim in wanted for name in claim.reads}
    tables = [str(plan.table_path(*pair)) for pair in reads] if papers else []
    ready = up_to_date(plan, [*papers, *tables]) if papers else set()
    verdicts = papers.keys() & ready
    rows = [Row({c: row[c] for c in COLUMNS}) for path in verdicts for row in read_rows(path)]
    judged = {papers[path] for path in verdicts}
    others = [claim for claim in wanted if claim.paper.lower() not in judged]
    plan = plan or (load_plan() if any(claim.reads for claim in others) else None)
    # claims share tables
    read = functools.cache(lambda paper, name: table(plan, paper, name, ready))
    for claim in others:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        found = claim.verdicts(lambda n, c=claim: read(*table_of(c.paper.lower(), n)).copy())
        rows += [Row.of(claim, verdict) for verdict in found]
    return rows
