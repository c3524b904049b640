"""The `dpbandits` command: one-off questions to the same code that the workflow runs.

Wrong input gives one line on stderr and exit code 2, and nothing is written.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from dpbandits.core.errors import InputError
from dpbandits.core.models import parse, parse_epsilon, shown

KINDS = ("algorithms", "claims", "figures", "mechanisms")


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong call gives one line instead of the usage text."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        options = build_parser().parse_args(arguments)
        return options.action(options) or 0
    except InputError as error:
        print(f"dpbandits: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # e.g. `dpbandits list | head`
        sys.stderr.close()
        return 0


def build_parser() -> Parser:
    parser = Parser(prog="dpbandits", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)

    add = commands.add_parser("list", help="what there is: algorithms, claims, figures, mechanisms")
    add.add_argument("kind", nargs="?", choices=KINDS, help="only these (default: all)")
    add.add_argument("--json", action="store_true", help="as JSON")
    add.set_defaults(action=list_things)

    add = commands.add_parser("simulate", help="run algorithms on one setting, regret to a CSV")
    add.add_argument("algorithms", metavar="ALGORITHM[,ALGORITHM...]")
    add.add_argument("--setting", required=True, help="JSON text, or a JSON or YAML file")
    add.add_argument(
        "--epsilon", help="E[,E...], above 0 or inf; needed by private algorithms, others take inf"
    )
    add.add_argument("--horizon", required=True, help="rounds T")
    add.add_argument("--seeds", required=True, help="number of independent runs")
    add.add_argument("--first-seed", default="0", help="seeds are S..S+N-1 (default: 0)")
    add.add_argument("--at", help="rounds t1,t2,... (default: 50 log-spaced ones ending in T)")
    add.add_argument("--output", required=True, help="FILE.csv: algorithm,epsilon,seed,t,regret")
    add.set_defaults(action=simulate)

    add = commands.add_parser("check", help="judge claims: rows of the ledger")
    add.add_argument("claims", nargs="*", metavar="CLAIM_ID")
    add.add_argument("--all", action="store_true", help="every claim")
    add.add_argument("--json", action="store_true", help="a list of rows with the ledger's keys")
    add.set_defaults(action=check)

    add = commands.add_parser(
        "audit",
        help="the privacy loss of one configured mechanism",
        description="The privacy loss of one configured mechanism over its worst neighbours. "
        "Method exact: attained, and no neighbour is worse. certified: proven upper bounds; audits "
        "of your own data give beside them what the neighbours shown attain, and the gap. bound: "
        "one side only, see the neighbour.",
    )
    _mechanism_options(add)
    add.add_argument("--at-epsilon", metavar="E[,E...]", help="also delta at these epsilon")
    add.set_defaults(action=audit)

    add = commands.add_parser("calibrate", help="the noise that really gives a privacy")
    _mechanism_options(add)
    add.add_argument("--target-epsilon", required=True)
    add.add_argument("--target-delta", default="0")
    add.set_defaults(action=calibrate)

    add = commands.add_parser(
        "compare", help="what differs between two results or figures folders; exit code 1 if any"
    )
    add.add_argument("old", metavar="OLD")
    add.add_argument("new", metavar="NEW")
    add.set_defaults(action=compare)
    return parser


def _mechanism_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mechanism", metavar="MECHANISM", help="see: dpbandits list mechanisms")
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="its parameters"
    )
    for name in ("data", "actions", "reference"):
        parser.add_argument(f"--{name}", metavar="FILE.csv", help="for audits of your own data")
    parser.add_argument("--neighbours", help="comma list of remove, add, swap, flip")
    parser.add_argument("--json", action="store_true", help="as JSON")


# --- list -----------------------------------------------------------------------------------------


def list_things(options) -> None:
    kinds = [options.kind] if options.kind else list(KINDS)
    found = {kind: _entries(kind) for kind in kinds}
    if options.json:
        print(json.dumps(found if not options.kind else found[options.kind], indent=1))
        return
    for kind, entries in found.items():
        if len(kinds) > 1:
            print(f"{kind}:")
        width = max((len(entry["name"]) for entry in entries), default=0)
        for entry in entries:
            about = "  ".join(str(v) for k, v in entry.items() if k != "name" and v)
            print(f"{entry['name']:<{width}}  {about}".rstrip())


def _entries(kind: str) -> list[dict[str, Any]]:
    if kind == "algorithms":
        from dpbandits.core.registry import algorithms

        return [
            {
                "name": a.name,
                "paper": a.paper,
                "privacy": a.claim or "not private",
                "setting": ", ".join(a.setting.model_fields),
                "source": a.source,
            }
            for a in sorted(algorithms().values(), key=lambda a: (a.module, a.name))
        ]
    if kind == "claims":
        from dpbandits.core.ledger import claims

        return [
            {"name": c.id, "where": c.where, "statement": c.statement} for c in claims().values()
        ]
    if kind == "figures":
        from dpbandits.core.drawing import figures

        return [
            {"name": f.name, "notebook": f"{f.paper}/{f.notebook}", "title": f.title}
            for f in figures().values()
        ]
    from dpbandits.core.mechanisms import calibrators, mechanisms

    able = calibrators()
    return [
        {
            "name": m.name,
            "does": "audit, calibrate" if m.name in able else "audit",
            "keys": ", ".join(f.alias or k for k, f in m.params.model_fields.items()),
        }
        for m in sorted((able | mechanisms()).values(), key=lambda m: m.name)
    ]


# --- simulate -------------------------------------------------------------------------------------


def simulate(options) -> None:
    from dpbandits.core.registry import get_algorithm
    from dpbandits.core.trajectories import log_spaced

    entries = [get_algorithm(name) for name in _items(options.algorithms, "algorithm")]
    setting = _read_setting(options.setting)
    settings = [parse(entry.setting, setting, f"setting of {entry.name}") for entry in entries]
    epsilons = [_epsilons(entry, entries, options.epsilon) for entry in entries]
    horizon = _whole(options.horizon, "--horizon")
    first = _whole(options.first_seed, "--first-seed", least=0)
    seeds = range(first, first + _whole(options.seeds, "--seeds"))
    rounds = _rounds(options.at, horizon) if options.at else log_spaced(horizon)
    output = _writable(options.output)
    cells = [
        (entry.name, setting, epsilon)
        for entry, setting, own in zip(entries, settings, epsilons, strict=True)
        for epsilon in own
    ]
    _write_regret(cells, horizon, seeds, rounds, output)


def _write_regret(cells, horizon, seeds, rounds, output) -> None:
    import pandas as pd

    from dpbandits.core.files import atomic
    from dpbandits.core.registry import run

    frames = []
    for place, (name, setting, epsilon) in enumerate(cells, start=1):
        if sys.stderr.isatty():
            print(f"[{place}/{len(cells)}] {name} at epsilon {epsilon:g}", file=sys.stderr)
        frame = run(name, setting, epsilon, horizon, seeds, rounds).frame(tuple(seeds), rounds)
        frame = frame[frame["metric"] == "regret"].rename(columns={"value": "regret"})
        frames.append(frame.assign(algorithm=name, epsilon=epsilon))
    columns = ["algorithm", "epsilon", "seed", "t", "regret"]
    with atomic(output) as temporary:
        pd.concat(frames)[columns].to_csv(temporary, index=False, float_format="%.10g")


def _items(text: str, what: str) -> list[str]:
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise InputError(f"{what}: empty item in '{text}'; allowed: names separated by commas")
    return items


def _whole(text: str, where: str, least: int = 1) -> int:
    try:
        number = float(text)
        whole = int(text) if text.lstrip("+-").isdigit() else int(number)
    except (ValueError, OverflowError):
        number, whole = 0.0, 0
    if whole != number or not least <= whole <= 2**53:
        raise InputError(f"{where} = {shown(text)}: allowed: a whole number from {least}")
    return whole


def _rounds(text: str, horizon: int) -> list[int]:
    rounds = [_whole(item, "--at") for item in _items(text, "--at")]
    if max(rounds) > horizon:
        raise InputError(f"--at = {max(rounds)}: allowed: rounds from 1 to the horizon {horizon}")
    return sorted(set(rounds))


def _epsilons(entry, entries, text: str | None) -> list[float]:
    """Epsilons for one algorithm; a non-private one beside private ones runs once, at inf."""
    from dpbandits.core.registry import check_epsilon

    if text is None:
        if entry.private:
            raise InputError(f"--epsilon is required: '{entry.name}' is private")
        return [math.inf]
    epsilons = [parse_epsilon(item, "--epsilon") for item in _items(text, "--epsilon")]
    if not entry.private and any(other.private for other in entries):
        return [math.inf]
    return [check_epsilon(entry, epsilon, "--epsilon") for epsilon in epsilons]


def _read_setting(text: str) -> dict[str, Any]:
    from dpbandits.core.config import read_yaml

    if not text.lstrip().startswith(("{", "[")):
        return read_yaml(text)
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"--setting: not valid JSON: {error}") from None


def _writable(name: str) -> Path:
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--output = {shown(name)}: allowed: a file in a folder that exists")
    return path


# --- check, audit, calibrate, compare -------------------------------------------------------------


def check(options) -> None:
    from dpbandits.core.ledger import claims, get_claim, row
    from dpbandits.core.tables import load_plan, table

    if options.all == bool(options.claims):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    chosen = list(claims().values()) if options.all else [get_claim(id) for id in options.claims]
    plan = load_plan() if any(claim.reads for claim in chosen) else None
    rows = []
    for claim in chosen:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        rows.append(row(claim, claim.check(lambda n, c=claim: table(plan, c.paper.lower(), n))))
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}: {values['verdict']}")
        print("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id"))


def audit(options) -> None:
    from dpbandits.core.mechanisms import lookup, mechanisms

    entry = lookup(mechanisms(), options.mechanism)
    at = (
        [_at_least_zero(e, "--at-epsilon") for e in _items(options.at_epsilon, "--at-epsilon")]
        if options.at_epsilon
        else []
    )
    params = parse(entry.params, _given(options), f"audit {entry.name}")
    _show(entry.compute(params, tuple(at)).as_json(), options.json)


def calibrate(options) -> None:
    from dpbandits.core.mechanisms import calibrators, lookup

    entry = lookup(calibrators(), options.mechanism)
    epsilon = parse_epsilon(options.target_epsilon, "--target-epsilon")
    delta = _at_least_zero(options.target_delta, "--target-delta")
    if math.isinf(epsilon) or delta >= 1:
        raise InputError("calibrate: allowed: a finite --target-epsilon, a --target-delta below 1")
    params = parse(entry.params, _given(options), f"calibrate {entry.name}")
    _show(entry.compute(params, epsilon, delta).as_json(), options.json)


def _given(options) -> dict[str, str]:
    """The parameters of a mechanism: --set key=value, and the options for files."""
    given: dict[str, str] = {}
    for item in options.set:
        key, equals, value = item.partition("=")
        if not equals or not key or key in given:
            raise InputError(f"--set {item}: allowed: key=value, each key once")
        given[key] = value
    files = ("data", "actions", "reference", "neighbours")
    return given | {key: getattr(options, key) for key in files if getattr(options, key)}


def _at_least_zero(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise InputError(f"{where} = {shown(text)}: allowed: a number from 0")
    return number


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{key}: {value}" for key, value in result.items()))


def compare(options) -> int:
    from dpbandits.core import publish

    for folder in (options.old, options.new):
        if not Path(folder).is_dir():
            raise InputError(f"compare: {folder}: no such folder")
    changes = publish.compare(options.old, options.new)
    differing = [change for change in changes if change.status != "same"]
    print("\n".join(map(str, differing)) or "  no difference")
    print(f"{len(differing)} of {len(changes)} files differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
