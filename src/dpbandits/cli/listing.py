"""`dpbandits list`: everything that is registered, with the place where it stands."""

import json
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.core.plaintext import plain

LEDGER = Path("figures/claims.csv")


def list_things(options) -> None:
    kinds = [options.kind] if options.kind else list(KINDS)
    chosen = _chosen(options)
    found = {
        kind: [entry for entry in KINDS[kind]() if chosen(kind, entry["name"], entry.get("paper"))]
        for kind in kinds
    }
    if options.json:
        print(json.dumps(found if not options.kind else found[options.kind], indent=1))
        return
    for kind, entries in found.items():
        if len(kinds) > 1:
            print(f"{kind}:")
        width = max((len(entry["name"]) for entry in entries), default=0)
        for entry in entries:
            about = "  ".join(str(v) for k, v in entry.items() if k not in ("name", "paper") and v)
            print(plain(f"{entry['name']:<{width}}  {about}".rstrip()))


def _chosen(options):
    """A filter over (kind, name, paper): --paper, and what belongs to --figure or --claim."""
    paper = _paper(options.paper) if options.paper else None
    related = {"claims": None, "figures": None}
    if options.figure:
        related["claims"] = {id for id, names in _evidence().items() if options.figure in names}
    if options.claim:
        from dpbandits.core.ledger import get_claim

        related["figures"] = _evidence().get(get_claim(options.claim).id, set())
    wanted = [kind for kind, names in related.items() if names is not None]

    def keep(kind: str, name: str, own: str | None) -> bool:
        if paper and own != paper:
            return False
        return name in related[kind] if kind in wanted else not wanted

    return keep


def _paper(key: str) -> str:
    from dpbandits.core.errors import nearest
    from dpbandits.core.registry import papers

    if key.lower() not in papers():
        raise InputError(f"--paper = {key}: {nearest(key, papers())}")
    return key.lower()


def _evidence() -> dict[str, set[str]]:
    """Claim -> the figures that show it: its own plot, and what the ledger names as evidence."""
    from dpbandits.core.files import read_table
    from dpbandits.core.ledger import claims
    from dpbandits.pipeline.claim_plots import name_of

    found = {id: {name_of(id)} for id in claims()}
    if not LEDGER.is_file():
        raise InputError(f"{LEDGER}: not here; run this in a checkout of dpbandits")
    for id, evidence in read_table(LEDGER)[["id", "evidence"]].fillna("").itertuples(index=False):
        paths = [path for path in evidence.split(";") if path.startswith("figures/")]
        names = {path.removeprefix("figures/").rsplit(".", 1)[0] for path in paths}
        found.setdefault(id, set()).update(names)
    return found


def _algorithms() -> list[dict[str, Any]]:
    from dpbandits.core.algorithms import ALGORITHMS

    return [
        {
            "name": a.name,
            "paper": a.paper,
            "of": a.paper,
            "notion": a.notion.name if a.private else "",
            "privacy": a.claim or "not private",
            "setting": ", ".join(a.setting.model_fields),
            "source": a.source,
            "place": str(ALGORITHMS.place(a.name)),
        }
        for a in ALGORITHMS.all().values()
    ]


def _studies() -> list[dict[str, Any]]:
    from dpbandits.core.algorithms import STUDIES

    return [
        {
            "name": s.name,
            "paper": s.name.split("/")[0],
            "keys": ", ".join(s.params.model_fields),
            "place": str(STUDIES.place(s.name)),
        }
        for s in STUDIES.all().values()
    ]


def _claims() -> list[dict[str, Any]]:
    from dpbandits.core.ledger import CLAIMS

    return [
        {
            "name": c.id,
            "paper": c.paper.lower(),
            "where": c.where,
            "statement": c.statement,
            "place": str(CLAIMS.place(c.id)),
        }
        for c in CLAIMS.all().values()
    ]


def _figures() -> list[dict[str, Any]]:
    from dpbandits.core.figures import FIGURES
    from dpbandits.core.ledger import CLAIMS
    from dpbandits.pipeline.figures import figures

    def place(name: str) -> str:
        claim = name.rsplit("/", 1)[1]
        return str(CLAIMS.place(claim) if "/claims/" in name else FIGURES.place(name))

    return [
        {
            "name": f.name,
            "paper": f.paper,
            "notebook": f"notebooks/{f.paper}/{f.notebook}.ipynb",
            "title": f.title,
            "place": place(f.name),
        }
        for f in figures().values()
    ]


def _mechanisms() -> list[dict[str, Any]]:
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    able = {"calibrate": CALIBRATORS.all(), "bound": BOUNDS.all()}
    return [
        {
            "name": m.name,
            "does": ", ".join(
                ["audit", *(what for what, names in able.items() if m.name in names)]
            ),
            "keys": ", ".join(f.alias or k for k, f in m.params.model_fields.items()),
            "place": str(MECHANISMS.place(m.name)),
        }
        for m in sorted(MECHANISMS.all().values(), key=lambda m: m.name)
    ]


KINDS = {
    "algorithms": _algorithms,
    "claims": _claims,
    "figures": _figures,
    "mechanisms": _mechanisms,
    "studies": _studies,
}
