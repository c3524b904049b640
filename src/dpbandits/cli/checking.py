"""`dpbandits check`: rows of the ledger, from results that are up to date, else found now."""

import json
import sys
from functools import cache
from typing import Any

from dpbandits.cli import listing
from dpbandits.core.errors import InputError
from dpbandits.core.words import readable
from dpbandits.pipeline import kept
from dpbandits.pipeline.formal import formally, theorems


def check(options) -> None:
    if options.all == bool(options.claims):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    chosen = list(listing.names("claims").values())
    if options.claims:
        chosen = [listing.known("claims", id) for id in options.claims]
    proved = theorems()
    rows = [formally(row, proved) for row in _rows([(c["name"], c["paper"]) for c in chosen])]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(readable("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def _rows(chosen: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Of claims, each with its paper's key, in their order."""
    judged = cache(kept.verdicts)
    missing = [id for id, paper in chosen if judged(paper) is None]
    found = _found_now(missing) if missing else []
    found += [row for paper in {p for _, p in chosen} for row in judged(paper) or ()]
    return [row for id, _ in chosen for row in found if row["id"] == id]


def _found_now(ids: list[str]) -> list[dict[str, str]]:
    from dpbandits.core.ledger import get_claim, row
    from dpbandits.pipeline.tables import load_plan, table

    chosen = [get_claim(id) for id in ids]
    plan = load_plan() if any(claim.reads for claim in chosen) else None
    read = cache(lambda paper, name: table(plan, paper, name))  # claims share tables
    rows = []
    for claim in chosen:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        verdicts = claim.verdicts(lambda n, c=claim: read(c.paper.lower(), n).copy())
        rows += [row(claim, verdict) for verdict in verdicts]
    return rows
