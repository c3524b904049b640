"""`dpbandits check`: rows of the ledger, judged now on the tables of the workflow."""

import json
import sys
from pathlib import Path

from dpbandits.core.errors import InputError
from dpbandits.reproduction.ledger.claims import Claim, claims, get_claim
from dpbandits.reproduction.ledger.formal import theorems, with_coq_result
from dpbandits.reproduction.ledger.rows import Row, read_ledger
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import table_of


def check(ids, all: bool, as_json: bool) -> None:
    if all == bool(ids):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    rows = rows_of([*map(get_claim, ids)] or [*claims().values()])
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(readable("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def rows_of(claims: list[Claim]) -> list[Row]:
    """The ledger's rows of some claims, in their order."""
    rows: list[Row] = []
    if not CONFIG.is_file():  # outside of a checkout
        print("check: no config/config.yaml here: rows of the published ledger", file=sys.stderr)
        rows = read_ledger()
    known = {row["id"] for row in rows}
    rows += _judged([claim for claim in claims if claim.id not in known])
    proved = theorems()
    return [with_coq_result(row, proved) for c in claims for row in rows if row["id"] == c.id]


def _judged(claims: list[Claim]) -> list[Row]:
    """Rows of verdicts, judged now on tables that Snakemake makes if they are not up to date."""
    from dpbandits.reproduction.pipeline.tables import load_plan, make
    from dpbandits.reproduction.plots.figures import reader

    reads = sorted({table_of(claim.paper.lower(), n) for claim in claims for n in claim.reads})
    plan, rows = load_plan() if reads else None, []
    make(plan, [plan.table_path(*pair) for pair in reads])
    tables = Path(plan.places.results if plan else "", "tables")
    for claim in claims:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        found = claim.verdicts(reader(tables / claim.paper.lower()))
        rows += [Row.of(claim, verdict) for verdict in found]
    return rows
