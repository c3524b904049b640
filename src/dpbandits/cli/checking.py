"""`dpbandits check`: rows of the ledger, from results that are up to date, else found now."""

import json
import sys
from functools import cache
from typing import Any

from dpbandits.cli.listing import known, names
from dpbandits.core.errors import InputError
from dpbandits.core.files import read_rows
from dpbandits.pipeline import CONFIG, current
from dpbandits.pipeline.formal import theorems, with_coq_result
from dpbandits.plots.words import readable


def check(options) -> None:
    if options.all == bool(options.claims):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    rows = rows_of([known("claims", id)["name"] for id in options.claims] or [*names("claims")])
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(readable("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def rows_of(ids: list[str]) -> list[dict[str, Any]]:
    """The rows of some claims, in their order, the same in a checkout and outside."""
    keys = {_paper(id) for id in ids}
    state = current.state() if CONFIG.is_file() else ""
    files = current.known(keys, state) if state else {}
    found = [row for path in files.values() for row in read_rows(path)]
    if rest := [id for id in ids if _paper(id) not in files]:
        found += _asked_for(rest, state)
    proved = theorems()
    return [with_coq_result(row, proved) for id in ids for row in found if row["id"] == id]


def _paper(id: str) -> str:
    return id.split("-")[0].lower()


def _asked_for(ids: list[str], state: str) -> list[dict[str, Any]]:
    """As far as Snakemake says that they are up to date from results, which is kept."""
    from dpbandits.core.claims import get_claim
    from dpbandits.pipeline.tables import load_plan, up_to_date

    chosen = [get_claim(id) for id in ids]
    keys = {claim.paper.lower() for claim in chosen}
    plan = load_plan() if state else None
    paths = {plan.verdicts_path(key): key for key in keys & {*plan.papers}} if plan else {}
    pairs = {(c.paper.lower(), name) for c in chosen for name in c.reads}
    tables = [str(plan.table_path(*pair)) for pair in pairs] if paths else []
    before = {path: current.results_behind(path) for path in paths}
    ready = up_to_date(plan, [*paths, *tables]) if paths else set()
    judged = paths.keys() & ready
    for path in judged:
        current.record(path, before[path], state)
    found = [row for path in judged for row in read_rows(path)]
    rest = [c for c in chosen if c.paper.lower() not in {paths[path] for path in judged}]
    return found + _found_now(rest, plan, ready)


def _found_now(chosen, plan, ready: set[str]) -> list[dict[str, str]]:
    from dpbandits.core.ledger import row
    from dpbandits.pipeline.tables import load_plan, table

    plan = plan or (load_plan() if any(claim.reads for claim in chosen) else None)
    read = cache(lambda paper, name: table(plan, paper, name, ready))  # claims share tables
    rows = []
    for claim in chosen:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        verdicts = claim.verdicts(lambda n, c=claim: read(c.paper.lower(), n).copy())
        rows += [row(claim, verdict) for verdict in verdicts]
    return rows
