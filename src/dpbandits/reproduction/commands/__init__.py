"""The commands of the reproduction: functions of which `dpbandits.cli` makes options.

Each imports what it needs when it is called, so that the command line starts quickly.
"""

from pathlib import Path
from typing import Annotated, Any

from dpbandits.cli.derive import Epsilons, Json, Keys
from dpbandits.core.errors import InputError
from dpbandits.reproduction.commands.figures import draw, plot
from dpbandits.reproduction.papers import key_of, papers  # noqa: F401 (for the command line)


def check(
    claims: Annotated[str, "CLAIM_ID ..."] = (), *, all: Annotated[bool, "every claim"], json: Json
) -> None:
    """Judge claims again and print their rows."""
    from dpbandits.reproduction.commands.checking import check

    check(claims, all, json)


def refute(claim: Annotated[str, "CLAIM_ID"], *, json: Json) -> None:
    """Explain a refutation step by step."""
    from dpbandits.reproduction.commands.refute import refute

    refute(claim, json)


def compare(old: Annotated[Path, "OLD"], new: Annotated[Path, "NEW"]) -> int:
    """Compare two folders of results or figures, or two files that simulate wrote.

    Prints the largest difference of two means in standard errors; the exit code is 1 if anything
    differs.
    """
    from dpbandits.reproduction.pipeline import compare as results

    kinds = [(path.is_dir(), path.is_file()) for path in (old, new)]
    if kinds[0] != kinds[1] or not any(kinds[0]):
        raise InputError(f"compare: {old}, {new}: allowed: two folders, or two files")
    lines = results.compare(old, new) if old.is_dir() else []
    if old.is_file() and old.read_bytes() != new.read_bytes():
        settings = {p.read_bytes() for f in (old, new) if (p := Path(f"{f}.json")).is_file()}
        files, keys = map(results.read_regret, (old, new)), ["algorithm", "epsilon", "t"]
        cells = (file.groupby(keys, sort=False)["regret"] for file in files)
        tables = (own.agg(["mean", "sem"]).reset_index() for own in cells)
        lines = ["other settings"] if len(settings) > 1 else [results.compare_tables(*tables)]
    print("\n".join(lines) or "no difference")
    return 1 if lines else 0


def bound(
    mechanism: Annotated[str, "see: dpbandits list mechanisms"],
    *,
    set: Keys = (),
    at_epsilon: Epsilons = None,
    json: Json = False,
) -> None:
    """Compare a theorem's printed and corrected bounds with the true loss."""
    from dpbandits.cli import show
    from dpbandits.reproduction import comparison

    show(comparison.bound(mechanism, at_epsilon=at_epsilon or (), **dict(set)).as_json(), json)


COMMANDS = [bound, check, refute, draw, plot, compare]


# What `dpbandits list` also lists
def claims() -> list[dict[str, Any]]:
    from dpbandits.reproduction.ledger.claims import claims, place
    from dpbandits.reproduction.plots.words import readable

    return [
        {"name": id, "paper": c.paper.lower(), "where": c.where, "statement": readable(c.statement)}
        | {"place": "{}:{}".format(*place(c))}
        for id, c in claims().items()
    ]


def figures() -> list[dict[str, Any]]:
    from dpbandits.reproduction.plots.figures import FIGURES
    from dpbandits.reproduction.plots.words import readable

    return [
        {"name": name, "paper": f.paper, "notebook": f"notebooks/{f.paper}/figures.ipynb"}
        | {"reads": ", ".join(f.needs), "claims": ", ".join(f.claims)}
        | {"title": readable(f.title), "place": str(FIGURES.place(name))}
        for name, f in FIGURES.all().items()
    ]


def studies() -> list[dict[str, Any]]:
    from dpbandits.reproduction.designs import DESIGNS
    from dpbandits.reproduction.studies import STUDIES

    params = [(STUDIES, name, study.params) for name, study in STUDIES.all().items()]
    params += [(DESIGNS, name, design) for name, design in DESIGNS.all().items()]
    return [
        {"name": name, "paper": name.split("/")[0], "keys": ", ".join(model.model_fields)}
        | {"kind": registry.kind, "place": str(registry.place(name))}
        for registry, name, model in params
    ]


LISTS = {"claims": claims, "figures": figures, "studies": studies}
