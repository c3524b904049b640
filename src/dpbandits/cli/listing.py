"""`dpbandits list`: everything that is registered, with its file and line."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_rows
from dpbandits.reproduction.plots.words import readable

Entry = dict[str, Any]
HEADER = {  # of the table of algorithms
    "name": "name",
    "of": "paper",
    "notion": "notion",
    "guarantee": "proof of the default's privacy",
    "learner": "learner",
    "private": "private as claimed?",
    "setting": "keys of the setting",
    "place": "place",
}
ONLY_WITH = {"severity": "claims", "figure": "claims", "claim": "figures"}  # option -> kind
TEXTS = ("statement", "title", "source")  # printed with formulas in Unicode


def names(kind: str) -> dict[str, Entry]:
    return {entry["name"]: entry for entry in KINDS[kind]()}


def entry_named(kind: str, name: str) -> Entry:
    """The entry of that name, in any case."""
    by_name = {key.lower(): entry for key, entry in names(kind).items()}
    if name.lower() not in by_name:
        hint = nearest(name, names(kind), f"see dpbandits list {kind}")
        raise InputError(f"unknown {kind[:-1]} '{name}'; {hint}")
    return by_name[name.lower()]


def list_entries(options) -> None:
    for option, kind in ONLY_WITH.items():
        if getattr(options, option) and options.kind not in (None, kind):
            raise InputError(f"list {options.kind} --{option}: allowed: with {kind}")
    if options.severity:
        if options.figure or options.claim:
            raise InputError("list --severity: allowed: without --figure and --claim")
        _list_failures(options)
        return
    selected = _selector(options)
    listed = {
        kind: [_with_local_path(e) for e in KINDS[kind]() if selected(kind, e["name"], e["paper"])]
        for kind in ([options.kind] if options.kind else KINDS)
    }
    if options.json:
        print(json.dumps(listed if not options.kind else listed[options.kind], indent=1))
        return
    for kind, group in listed.items():
        if len(listed) > 1:
            print(f"{kind}:")
        if kind == "algorithms" and group:
            _print_table(group, HEADER)
            continue
        width = max((len(entry["name"]) for entry in group), default=0)
        for entry in group:
            rest = ((k, str(v)) for k, v in entry.items() if k not in ("name", "paper") and v)
            about = "  ".join(readable(v) if k in TEXTS else v for k, v in rest)
            print(f"{entry['name']:<{width}}  {about}".rstrip())


def published_ledger() -> list[dict[str, str]]:
    """The rows of the ledger in figures/ of the current folder, or of the one that came with us."""
    from dpbandits.reproduction.published import published

    return read_rows(published("figures/claims.csv"))


def _print_table(group: list[Entry], header: dict[str, str]) -> None:
    """Columns of the same width; the last ones, whose texts are long, as they come."""
    rows = [{key: str(entry.get(key, "")) for key in header} for entry in group]
    widths = {key: max(len(row[key]) for row in [header, *rows]) for key in list(header)[:-2]}
    for row in [header, *rows]:
        print("  ".join(row[key].ljust(widths.get(key, 0)) for key in header).rstrip())


def _list_failures(options) -> None:
    """Print the published rows of one severity, grouped by the row whose error they inherit."""
    from dpbandits.reproduction.ledger.verdicts import by_cause, row_name

    paper = _paper(options.paper).upper() if options.paper else ""
    rows = [row for row in published_ledger() if paper in ("", row["paper"])]
    causes = by_cause(rows, options.severity)
    if options.json:
        print(json.dumps([row for group in causes.values() for row in group], indent=1))
        return
    for cause, group in causes.items():
        if len(group) > 1:
            print(f"{cause} is the cause of {len(group)} rows:")
        for row in group:
            extent = f" By how much: {row['supremum']}." if row["supremum"] else ""
            indent = "  " if len(group) > 1 else ""
            print(readable(f"{indent}{row_name(row)}: {row['statement']}{extent}"))


def _with_local_path(entry: Entry) -> Entry:
    """The entry, with its place relative to the current folder if it is below it."""
    place, folder = Path(entry["place"]), Path.cwd()
    return entry | {"place": str(place.relative_to(folder))} if folder in place.parents else entry


def _selector(options):
    """A predicate of (kind, name, paper): --paper, and what belongs to --figure or --claim."""
    wanted_paper = _paper(options.paper) if options.paper else None
    related: dict[str, Iterable[str]] = {}
    if options.figure:
        figure = entry_named("figures", options.figure)["name"]
        related["claims"] = {id for id, figures in _evidence().items() if figure in figures}
    if options.claim:
        related["figures"] = _evidence()[entry_named("claims", options.claim)["name"]]

    def selected(kind: str, name: str, paper: str) -> bool:
        if wanted_paper and paper != wanted_paper:
            return False
        return not related or name in related.get(kind, ())

    return selected


def _paper(key: str) -> str:
    from dpbandits.core.registry import papers

    if key.lower() not in papers():
        raise InputError(f"--paper = {key}: {nearest(key, sorted(papers()))}")
    return key.lower()


def _evidence() -> dict[str, set[str]]:
    """Claim -> the figures that show it: its own plot, and those the ledger names as evidence."""
    evidence = {id: {f"{entry['paper']}/claims/{id}"} for id, entry in names("claims").items()}
    for row in published_ledger():
        paths = [p for p in row["evidence"].split(";") if p.startswith("figures/")]
        figures = {path.removeprefix("figures/").rsplit(".", 1)[0] for path in paths}
        evidence.setdefault(row["id"], set()).update(figures)
    return evidence


def _entries(registry, about) -> list[Entry]:
    """The entries of a registry; about(entry) returns the fields between `paper` and `place`."""
    return [
        {"name": name, "paper": registry.paper_of(entry.module) or getattr(entry, "paper", "")}
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

    def about(algorithm) -> Entry:
        return {
            "of": algorithm.paper,
            "notion": algorithm.notion.name if algorithm.private else "",
            "private": algorithm.as_claimed,
            "guarantee": algorithm.proof,
            "learner": "yes" if algorithm.learner else "",
            "setting": _keys(algorithm.setting),
            "source": algorithm.source,
        }

    return _entries(ALGORITHMS, about)


def _studies() -> list[Entry]:
    from dpbandits.reproduction.studies import STUDIES

    return _entries(STUDIES, lambda study: {"keys": _keys(study.params)})


def _claims() -> list[Entry]:
    from dpbandits.reproduction.ledger.claims import claims

    return [
        {"name": id, "paper": claim.paper.lower(), "where": claim.where}
        | {"statement": claim.statement, "place": _claim_place(claim)}
        for id, claim in claims().items()
    ]


def _claim_place(claim) -> str:
    from dpbandits.reproduction.ledger.claims import place

    return "{}:{}".format(*place(claim))


def _figures() -> list[Entry]:
    """Registered figures."""
    from dpbandits.reproduction.plots.figures import FIGURES

    return [
        {
            "name": name,
            "paper": figure.paper,
            "notebook": f"notebooks/{figure.paper}/{figure.notebook}.ipynb",
            "reads": ", ".join(f"{figure.folder}/{figure.paper}/{t}.csv" for t in figure.reads),
            "title": figure.title,
            "place": _place(FIGURES, name),
        }
        for name, figure in FIGURES.all().items()
    ]


def _mechanisms() -> list[Entry]:
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    others = {"calibrate": CALIBRATORS.all(), "bound": BOUNDS.all()}

    def about(mechanism) -> Entry:
        commands = ["audit", *(name for name, all in others.items() if mechanism.name in all)]
        return {"does": ", ".join(commands), "keys": _keys(mechanism.params)}

    return sorted(_entries(MECHANISMS, about), key=lambda entry: entry["name"])


KINDS = {
    "algorithms": _algorithms,
    "claims": _claims,
    "figures": _figures,
    "mechanisms": _mechanisms,
    "studies": _studies,
}
