"""`dpbandits check`: rows of the ledger, from results that are up to date, else found now."""

import json
import sys
from functools import cache
from typing import Any

from dpbandits.core.claims import Claim, claims, get_claim
from dpbandits.core.errors import InputError
from dpbandits.core.files import read_rows
from dpbandits.core.ledger import row
from dpbandits.pipeline import CONFIG
from dpbandits.pipeline.formal import theorems, with_coq_result
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.tables import load_plan, table, up_to_date
from dpbandits.plots.words import readable


def check(options) -> None:
    if options.all == bool(options.claims):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    chosen = [get_claim(id) for id in options.claims] or list(claims().values())
    rows = rows_of(chosen)
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(readable("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def rows_of(chosen: list[Claim]) -> list[dict[str, Any]]:
    """The rows of some claims, in their order, the same in a checkout and outside."""
    proved = theorems()
    return [with_coq_result(row, proved) for row in _rows(chosen)]


def _rows(chosen: list[Claim]) -> list[dict[str, Any]]:
    keys = {claim.paper.lower() for claim in chosen}
    plan = load_plan() if CONFIG.is_file() else None
    paths = {plan.verdicts_path(key): key for key in keys & {*plan.papers}} if plan else {}
    pairs = {(c.paper.lower(), name) for c in chosen for name in c.reads}
    tables = [str(plan.table_path(*pair)) for pair in pairs] if paths else []
    ready = up_to_date(plan, [*paths, *tables]) if paths else set()
    found = [row for path in paths.keys() & ready for row in read_rows(path)]
    judged = {paths[path] for path in paths.keys() & ready}
    found += _found_now([c for c in chosen if c.paper.lower() not in judged], plan, ready)
    return [row for claim in chosen for row in found if row["id"] == claim.id]


def _found_now(chosen: list[Claim], plan: Plan | None, ready: set[str]) -> list[dict[str, str]]:
    plan = plan or (load_plan() if any(claim.reads for claim in chosen) else None)
    read = cache(lambda paper, name: table(plan, paper, name, ready))  # claims share tables
    rows = []
    for claim in chosen:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        verdicts = claim.verdicts(lambda n, c=claim: read(c.paper.lower(), n).copy())
        rows += [row(claim, verdict) for verdict in verdicts]
    return rows
