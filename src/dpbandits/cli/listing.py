"""`dpbandits list`: everything that is registered, with the place where it stands."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.core import cache
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_rows
from dpbandits.plots.words import readable

LEDGER = Path("figures/claims.csv")
REGISTRIES = ("algorithms", "figures", "mechanisms")  # modules of dpbandits.core
Entry = dict[str, Any]
TEXTS = ("statement", "title", "privacy", "source")  # shown readably; keys as they are typed


def entries(*kinds: str) -> dict[str, list[Entry]]:
    """All of some kinds. They follow from the sources alone, so they are found once per state of
    these; in a process that may have registered things of its own, a notebook's, each time."""
    if any(f"dpbandits.core.{name}" in sys.modules for name in REGISTRIES):
        return {kind: KINDS[kind]() for kind in kinds}
    state = cache.state()
    found = {kind: cache.read(f"list-{kind}", state) for kind in kinds}
    missing = [kind for kind in kinds if found[kind] is None]
    found |= {kind: KINDS[kind]() for kind in missing}
    if missing and not _left_out() and cache.state() == state:
        for kind in missing:
            cache.write(f"list-{kind}", state, found[kind])
    return found


def _left_out() -> bool:
    """Was a broken package reported? That is said each time."""
    from dpbandits.core.registry import report

    return report.cache_info().currsize > 0


def names(kind: str) -> dict[str, Entry]:
    return {entry["name"]: entry for entry in entries(kind)[kind]}


def known(kind: str, name: str) -> Entry:
    """The entry of that name, in any case."""
    found = {key.lower(): entry for key, entry in names(kind).items()}
    if name.lower() not in found:
        hint = nearest(name, names(kind), f"see dpbandits list {kind}")
        raise InputError(f"unknown {kind[:-1]} '{name}'; {hint}")
    return found[name.lower()]


def list_things(options) -> None:
    if options.severity:
        _list_failures(options)
        return
    known = entries(*([options.kind] if options.kind else KINDS))
    chosen = _chosen(options)
    found = {
        kind: [_placed(e) for e in own if chosen(kind, e["name"], e["paper"])]
        for kind, own in known.items()
    }
    if options.json:
        print(json.dumps(found if not options.kind else found[options.kind], indent=1))
        return
    for kind, own in found.items():
        if len(found) > 1:
            print(f"{kind}:")
        width = max((len(entry["name"]) for entry in own), default=0)
        for entry in own:
            rest = ((k, str(v)) for k, v in entry.items() if k not in ("name", "paper") and v)
            about = "  ".join(readable(v) if k in TEXTS else v for k, v in rest)
            print(f"{entry['name']:<{width}}  {about}".rstrip())


def _list_failures(options) -> None:
    """The published rows that fail with one severity, under the row whose error they inherit."""
    from dpbandits.core.ledger import by_cause, row_name

    if options.kind not in (None, "claims"):
        raise InputError("list --severity: allowed: with claims")
    if not LEDGER.is_file():
        raise InputError(f"{LEDGER}: not here; run this in a checkout of dpbandits")
    paper = _paper(options.paper).upper() if options.paper else ""
    rows = [row for row in read_rows(LEDGER) if paper in ("", row["paper"])]
    causes = by_cause(rows, options.severity)
    if options.json:
        print(json.dumps([row for own in causes.values() for row in own], indent=1))
        return
    for cause, own in causes.items():
        if len(own) > 1:
            print(f"{cause} is the cause of {len(own)} rows:")
        for row in own:
            extent = f" By how much: {row['supremum']}." if row["supremum"] else ""
            indent = "  " if len(own) > 1 else ""
            print(readable(f"{indent}{row_name(row)}: {row['statement']}{extent}"))


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
    from dpbandits.core.registry import papers

    if key.lower() not in papers():
        raise InputError(f"--paper = {key}: {nearest(key, sorted(papers()))}")
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


def _entries(registry, about) -> list[Entry]:
    """Those of a registry; about(entry): what is said of it between its paper and its place."""
    from dpbandits.core.registry import key_of

    return [
        {"name": name, "paper": key_of(entry.module)}
        | about(entry)
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

    def about(a) -> Entry:
        known = {"of": a.paper, "notion": a.notion.name if a.private else ""}
        privacy = a.claim or "not private"
        return known | {"privacy": privacy, "setting": _keys(a.setting), "source": a.source}

    return _entries(ALGORITHMS, about)


def _studies() -> list[Entry]:
    from dpbandits.core.algorithms import STUDIES

    return _entries(STUDIES, lambda study: {"keys": _keys(study.params)})


def _claims() -> list[Entry]:
    from dpbandits.core.claims import claims

    return [
        {"name": id, "paper": claim.paper.lower(), "where": claim.where}
        | {"statement": claim.statement, "place": _claim_place(claim)}
        for id, claim in claims().items()
    ]


def _claim_place(claim) -> str:
    from dpbandits.core.claims import place

    return "{}:{}".format(*place(claim))


def _figures() -> list[Entry]:
    """Those that are registered, and the claims' plots, which stand where their claims do."""
    from dpbandits.core.claims import claims
    from dpbandits.core.figures import FIGURES
    from dpbandits.pipeline.figures import figures

    found, judged = [], claims()
    for name, f in figures().items():
        claim = name.rsplit("/", 1)[1] if "/claims/" in name else ""
        reads = ", ".join(f"{f.folder}/{f.paper}/{table}.csv" for table in f.reads)
        about = {"notebook": f"notebooks/{f.paper}/{f.notebook}.ipynb", "reads": reads}
        place = _claim_place(judged[claim]) if claim else _place(FIGURES, name)
        found.append({"name": name, "paper": f.paper} | about | {"title": f.title, "place": place})
    return found


def _mechanisms() -> list[Entry]:
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    able = {"calibrate": CALIBRATORS.all(), "bound": BOUNDS.all()}

    def about(m) -> Entry:
        does = ["audit", *(what for what, names in able.items() if m.name in names)]
        return {"does": ", ".join(does), "keys": _keys(m.params)}

    return sorted(_entries(MECHANISMS, about), key=lambda entry: entry["name"])


KINDS = {
    "algorithms": _algorithms,
    "claims": _claims,
    "figures": _figures,
    "mechanisms": _mechanisms,
    "studies": _studies,
}
