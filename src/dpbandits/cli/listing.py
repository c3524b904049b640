"""`dpbandits list`: everything that is registered, with the place where it stands.

It follows from the sources alone, so it is found once per state of them (core.sources).
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_rows
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
    for row in read_rows(LEDGER):
        paths = [p for p in row["evidence"].split(";") if p.startswith("figures/")]
        shown = {path.removeprefix("figures/").rsplit(".", 1)[0] for path in paths}
        found.setdefault(row["id"], set()).update(shown)
    return found


def _entries(registry, told) -> list[Entry]:
    """Those of a registry; told(entry): what is said of it between its paper and its place."""
    from dpbandits.core.registry import key_of

    return [
        {"name": name, "paper": key_of(entry.module)}
        | told(entry)
        | {"place": _place(registry, name)}
        for name, entry in registry.all().items()
    ]


def _place(registry, name: str) -> str:
    place = registry.place(name)
    return f"{place.path}:{place.line}"


def _keys(model) -> str:
    return ", ".join(field.alias or name for name, field in model.model_fields.items())


def _algorithms() -> list[Entry]:
    from dpbandits.core.algorithms import ALGORITHMS

    def told(a) -> Entry:
        known = {"of": a.paper, "notion": a.notion.name if a.private else ""}
        privacy = a.claim or "not private"
        return known | {"privacy": privacy, "setting": _keys(a.setting), "source": a.source}

    return _entries(ALGORITHMS, told)


def _studies() -> list[Entry]:
    from dpbandits.core.algorithms import STUDIES

    return _entries(STUDIES, lambda study: {"keys": _keys(study.params)})


def _claims() -> list[Entry]:
    from dpbandits.core.ledger import CLAIMS

    return _entries(CLAIMS, lambda claim: {"where": claim.where, "statement": claim.statement})


def _figures() -> list[Entry]:
    """Those that are registered, and the claims' plots, which stand where their claims do."""
    from dpbandits.core.figures import FIGURES
    from dpbandits.core.ledger import CLAIMS
    from dpbandits.pipeline.figures import figures

    found = []
    for name, f in figures().items():
        claim = name.rsplit("/", 1)[1] if "/claims/" in name else ""
        reads = ", ".join(f"{f.folder}/{f.paper}/{table}.csv" for table in f.reads)
        about = {"notebook": f"notebooks/{f.paper}/{f.notebook}.ipynb", "reads": reads}
        place = _place(CLAIMS, claim) if claim else _place(FIGURES, name)
        found.append({"name": name, "paper": f.paper} | about | {"title": f.title, "place": place})
    return found


def _mechanisms() -> list[Entry]:
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    able = {"calibrate": CALIBRATORS.all(), "bound": BOUNDS.all()}

    def told(m) -> Entry:
        does = ["audit", *(what for what, names in able.items() if m.name in names)]
        return {"does": ", ".join(does), "keys": _keys(m.params)}

    return sorted(_entries(MECHANISMS, told), key=lambda entry: entry["name"])


KINDS = {
    "algorithms": _algorithms,
    "claims": _claims,
    "figures": _figures,
    "mechanisms": _mechanisms,
    "studies": _studies,
}
