"""What the report says first: how many claims stand or fall, the most telling ones, the figures.

Nothing is picked by hand. Refutations come theorems first, each paper in turn; of the figures, the
one of each paper on which most failed claims rest.
"""

from itertools import chain, zip_longest

from dpbandits.core.ledger import PRINTED

FAILED = ("violated", "rejected")
PLACES = ("Theorem", "Corollary", "Proposition", "Lemma")  # the weightiest first
SURE = ("formal", "exact", "certified", "proof")
PER_PAPER = 2


def front(ledger: list[dict], views: list[dict]) -> dict:
    return {"tiles": tiles(ledger, views), "refuted": refuted(ledger), "figures": figures(views)}


def tiles(ledger: list[dict], views: list[dict]) -> list[tuple[int, str, str]]:
    """The numbers of the first line: how many, of what, and the filter that shows them."""
    rows = [row for row in ledger if row["reading"] == PRINTED]
    by = {v: sum(row["verdict"] == v for row in rows) for v in ("holds", *FAILED, "consistent")}
    failed = [row for row in rows if row["verdict"] in FAILED]
    repaired = sum(row["repaired_verdict"] == "holds" for row in failed)
    certified = len({row["certificate"] for row in ledger} - {""})
    drawn = sum(not view["of_claim"] for view in views)
    found = [
        (len(rows), "claims judged, each as printed", ""),
        (by["holds"], "hold", "verdict=holds&reading=printed"),
        (by["consistent"], "agree with every simulation", "verdict=consistent&reading=printed"),
        (by["violated"], "are false as printed", "verdict=violated&reading=printed"),
        (by["rejected"], "are rejected by simulation", "verdict=rejected&reading=printed"),
        (repaired, "of those that fail have a repair that holds", "repaired=holds&reading=printed"),
        (certified, "certificates to check alone", ""),
        (drawn, "figures drawn anew", ""),
    ]
    return [tile for tile in found if tile[0]]


def refuted(ledger: list[dict]) -> list[dict]:
    """Of each paper the weightiest printed statements that are false, the papers in turn."""
    papers: dict[str, list[dict]] = {}
    for row in sorted(ledger, key=_weight):
        if row["verdict"] == "violated" and row["reading"] == PRINTED:
            papers.setdefault(row["paper"], []).append(row)
    turns = zip_longest(*(rows[:PER_PAPER] for rows in papers.values()))
    return [row for row in chain.from_iterable(turns) if row]


def _weight(row: dict) -> tuple:
    """Theorems first, those on privacy first, those with a proved repair first."""
    place = next((i for i, name in enumerate(PLACES) if row["where"].startswith(name)), 9)
    return (
        place,
        row["kind"] != "privacy",
        row["method"] not in SURE,
        row["repaired_verdict"] != "holds",
    )


def figures(views: list[dict]) -> list[dict]:
    """Of each paper the figure on which most failed claims rest; at a tie, most claims."""
    best: dict[str, dict] = {}
    for view in (v for v in views if not v["of_claim"]):
        kept = best.setdefault(view["paper"], view)
        if _rests(view) > _rests(kept):
            best[view["paper"]] = view
    return list(best.values())


def _rests(view: dict) -> tuple[int, int]:
    rows = view["claims"]
    return sum(row["verdict"] in FAILED for row in rows), len(rows)
