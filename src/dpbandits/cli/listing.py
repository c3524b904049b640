"""`dpbandits list`: everything that is registered, with the place where it stands.

It follows from the sources alone, so it is found once per state of them (core.sources).
"""

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.sources import hash_of, remembered
from dpbandits.core.words import readable

LEDGER = Path("figures/claims.csv")
REGISTRIES = ("algorithms", "figures", "ledger", "mechanisms")  # modules of dpbandits.core
Entry = dict[str, Any]


def entries() -> dict[str, list[Entry]]:
    """Everything, by kind. A process that registers things of its own, a notebook, is asked."""
    if any(f"dpbandits.core.{name}" in sys.modules for name in REGISTRIES):
        return _registered()
    return remembered("registered", lambda: hash_of(sys.path), _registered)  # places


def _registered() -> dict[str, list[Entry]]:
    return {kind: found() for kind, found in KINDS.items()}


def names(kind: str) -> dict[str, Entry]:
    return {entry["name"]: entry for entry in entries()[kind]}


def known(kind: str, name: str) -> Entry:
    """The entry of that name, in any case."""
    found = {key.lower(): entry for key, entry in names(kind).items()}
    if name.lower() not in found:
        hint = nearest(name, names(kind), f"see dpbandits list {kind}")
        raise InputError(f"unknown {kind[:-1]} '{name}'; {hint}")
    return found[name.lower()]


def list_things(options) -> None:
    kinds = [options.kind] if options.kind else list(KINDS)
    chosen = _chosen(options)
    found = {
        kind: [_placed(e) for e in own if chosen(kind, e["name"], e["paper"])]
        for kind, own in entries().items()
        if kind in kinds
    }
    if options.json:
        print(json.dumps(found if not options.kind else found[options.kind], indent=1))
        return
    for kind, own in found.items():
        if len(kinds) > 1:
            print(f"{kind}:")
        width = max((len(entry["name"]) for entry in own), default=0)
        for entry in own:
            about = "  ".join(str(v) for k, v in entry.items() if k not in ("name", "paper") and v)
            print(f"{entry['name']:<{width}}  {readable(about)}".rstrip())


def _placed(entry: Entry) -> Entry:
    """With its place as seen from the current folder."""
    place = Path(entry["place"])
    here = place.is_relative_to(Path.cwd())
    return entry | {"place": str(place.relative_to(Path.cwd()) if here else place)}


def _chosen(options):
    """A filter over (kind, name, paper): --paper, and what belongs to --figure or --claim."""
    paper = _paper(options.paper) if options.paper else None
    related: dict[str, Iterable[str] | None] = {"claims": None, "figures": None}
    if options.figure:
        figure = known("figures", options.figure)["name"]
        related["claims"] = {id for id, shown in _evidence().items() if figure in shown}
    if options.claim:
        related["figures"] = _evidence()[known("claims", options.claim)["name"]]
    wanted = [kind for kind, found in related.items() if found is not None]

    def keep(kind: str, name: str, own: str) -> bool:
        if paper and own != paper:
            return False
        return name in related[kind] if kind in wanted else not wanted

    return keep


def _paper(key: str) -> str:
    there = {entry["paper"] for own in entries().values() for entry in own} - {""}
    if key.lower() not in there:
        raise InputError(f"--paper = {key}: {nearest(key, sorted(there))}")
    return key.lower()


def _evidence() -> dict[str, set[str]]:
    """Claim -> the figures that show it: its own plot, and what the ledger names as evidence."""
    found = {id: {f"{entry['paper']}/claims/{id}"} for id, entry in names("claims").items()}
    if not LEDGER.is_file():
        raise InputError(f"{LEDGER}: not here; run this in a checkout of dpbandits")
    with LEDGER.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            paths = [p for p in row["evidence"].split(";") if p.startswith("figures/")]
            shown = {path.removeprefix("figures/").rsplit(".", 1)[0] for path in paths}
            found.setdefault(row["id"], set()).update(shown)
    return found


def _place(registry, name: str) -> str:
    place = registry.place(name)
    return f"{place.path}:{place.line}"


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
            "place": _place(ALGORITHMS, a.name),
        }
        for a in ALGORITHMS.all().values()
    ]


def _studies() -> list[dict[str, Any]]:
    from dpbandits.core.algorithms import STUDIES
    from dpbandits.core.registry import key_of

    return [
        {
            "name": s.name,
            "paper": key_of(s.module),
            "keys": ", ".join(s.params.model_fields),
            "place": _place(STUDIES, s.name),
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
            "place": _place(CLAIMS, c.id),
        }
        for c in CLAIMS.all().values()
    ]


def _figures() -> list[dict[str, Any]]:
    from dpbandits.core.figures import FIGURES
    from dpbandits.core.ledger import CLAIMS
    from dpbandits.pipeline.figures import figures

    def place(name: str) -> str:
        claim = name.rsplit("/", 1)[1]
        return _place(CLAIMS, claim) if "/claims/" in name else _place(FIGURES, name)

    return [
        {
            "name": f.name,
            "paper": f.paper,
            "notebook": f"notebooks/{f.paper}/{f.notebook}.ipynb",
            "reads": ", ".join(f"{f.folder}/{f.paper}/{name}.csv" for name in f.reads),
            "title": f.title,
            "place": place(f.name),
        }
        for f in figures().values()
    ]


def _mechanisms() -> list[dict[str, Any]]:
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS
    from dpbandits.core.registry import key_of

    able = {"calibrate": CALIBRATORS.all(), "bound": BOUNDS.all()}
    return [
        {
            "name": m.name,
            "paper": key_of(m.module),
            "does": ", ".join(
                ["audit", *(what for what, names in able.items() if m.name in names)]
            ),
            "keys": ", ".join(f.alias or k for k, f in m.params.model_fields.items()),
            "place": _place(MECHANISMS, m.name),
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
