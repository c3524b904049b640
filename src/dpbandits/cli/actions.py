"""What each command does. Imports stand inside: most questions need few of them."""

import json
import math
import sys
from typing import Any

from dpbandits.cli.inputs import (
    at_least_zero,
    epsilons_asked,
    given,
    items,
    read_setting,
    rounds_asked,
    whole,
    writable,
)
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse, parse_epsilon
from dpbandits.core.plaintext import plain


def simulate(options) -> None:
    from dpbandits.core.algorithms import get_algorithm
    from dpbandits.core.trajectories import log_spaced

    entries = [get_algorithm(name) for name in items(options.algorithms, "algorithm")]
    setting = read_setting(options.setting)
    settings = [parse(entry.setting, setting, f"setting of {entry.name}") for entry in entries]
    epsilons = [epsilons_asked(entry, entries, options.epsilon) for entry in entries]
    horizon = whole(options.horizon, "--horizon")
    first = whole(options.first_seed, "--first-seed", least=0)
    seeds = range(first, first + whole(options.seeds, "--seeds"))
    rounds = rounds_asked(options.at, horizon) if options.at else log_spaced(horizon)
    output = writable(options.output)
    cells = [
        (entry.name, setting, epsilon)
        for entry, setting, own in zip(entries, settings, epsilons, strict=True)
        for epsilon in own
    ]
    _write_regret(cells, horizon, seeds, rounds, output)


def _write_regret(cells, horizon, seeds, rounds, output) -> None:
    import pandas as pd

    from dpbandits.core.algorithms import run
    from dpbandits.core.files import atomic

    frames = []
    for place, (name, setting, epsilon) in enumerate(cells, start=1):
        if sys.stderr.isatty():
            print(f"[{place}/{len(cells)}] {name} at epsilon {epsilon:g}", file=sys.stderr)
        frame = run(name, setting, epsilon, horizon, seeds, rounds).frame(tuple(seeds), rounds)
        frame = frame[frame["metric"] == "regret"].rename(columns={"value": "regret"})
        frames.append(frame.assign(algorithm=name, epsilon=epsilon))
    columns = ["algorithm", "epsilon", "seed", "t", "regret"]
    table = pd.concat(frames)[columns]
    with atomic(output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.10g")
    if sys.stderr.isatty():
        end = table[table["t"] == table["t"].max()]
        for (name, epsilon), own in end.groupby(["algorithm", "epsilon"], sort=False)["regret"]:
            said = f"{own.mean():.5g} ± {own.sem():.2g} at t = {end['t'].max()}"
            print(f"{name} at epsilon {epsilon:g}: regret {said}", file=sys.stderr)


def check(options) -> None:
    from functools import cache

    from dpbandits.core.ledger import claims, get_claim, row
    from dpbandits.pipeline.formal import formally, theorems
    from dpbandits.pipeline.tables import load_plan, table

    if options.all == bool(options.claims):
        raise InputError("check: allowed: CLAIM_ID... or --all")
    chosen = list(claims().values()) if options.all else [get_claim(id) for id in options.claims]
    plan = load_plan() if any(claim.reads for claim in chosen) else None
    read = cache(lambda paper, name: table(plan, paper, name))  # claims share tables
    rows, proved = [], theorems()
    for claim in chosen:
        if sys.stderr.isatty():
            print(f"checking {claim.id} ...", file=sys.stderr)
        found = claim.verdicts(lambda n, c=claim: read(c.paper.lower(), n).copy())
        rows += [formally(row(claim, verdict), proved) for verdict in found]
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for values in rows:
        print(f"{values['id']}, {values['reading']}: {values['verdict']}")
        print(plain("\n".join(f"  {k}: {v}" for k, v in values.items() if v and k != "id")))


def audit(options) -> None:
    from dpbandits.core.mechanisms import MECHANISMS

    if bool(options.function) == bool(options.mechanism):
        raise InputError("audit: allowed: a MECHANISM, or --function package.module:name")
    if options.function:
        from dpbandits.audit.function import FunctionParams, audit_function, load

        params = parse(FunctionParams, given(options), "audit --function")
        _show(audit_function(load(options.function), params).as_json(), options.json)
        return
    _asked(MECHANISMS.get(options.mechanism), options, "audit")


def bound(options) -> None:
    from dpbandits.core.mechanisms import BOUNDS

    _asked(BOUNDS.get(options.mechanism, "mechanism"), options, "bound")


def _asked(entry, options, command: str) -> None:
    """Compute at the asked epsilon, whose spelling the answer keeps."""
    from dpbandits.core.mechanisms import named

    typed = items(options.at_epsilon, "--at-epsilon") if options.at_epsilon else []
    at = {e: at_least_zero(e, "--at-epsilon") for e in typed}
    params = parse(entry.params, given(options), f"{command} {entry.name}")
    result = entry.compute(params, tuple(dict.fromkeys(at.values()))).as_json()
    result["delta_at"] = {e: result["delta_at"][named(value)] for e, value in at.items()}
    _show(result, options.json)


def keys_of(name: str | None, calibrates: bool) -> str:
    """The keys that --set takes for a mechanism (for --function: without a name)."""
    from dpbandits.audit.function import FunctionParams
    from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS

    params = (CALIBRATORS if calibrates else MECHANISMS).get(name).params if name else None
    if params is None and calibrates:
        return "The keys of a mechanism: dpbandits calibrate NAME --help"
    what = f"{name}: " if name else "--function: "
    lines = [f"Keys of {what}--set KEY=VALUE ..."]
    for field_name, field in (params or FunctionParams).model_fields.items():
        default = "needed" if field.is_required() else f"default {field.get_default()!r}"
        about = "; ".join(filter(None, [field.description, _allowed(field), default]))
        lines.append(f"  {field.alias or field_name:<14} {about}")
    return "\n".join(lines)


def _allowed(field) -> str:
    """What a field takes: its choices, its limits."""
    from typing import Literal, get_args, get_origin

    if get_origin(field.annotation) is Literal:
        return " | ".join(map(str, get_args(field.annotation)))
    signs = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
    limits = [
        f"{sign} {getattr(rule, key):g}"
        for rule in field.metadata
        for key, sign in signs.items()
        if getattr(rule, key, None) is not None
    ]
    return ", ".join(limits)


def calibrate(options) -> None:
    from dpbandits.core.mechanisms import CALIBRATORS

    entry = CALIBRATORS.get(options.mechanism, "mechanism")
    epsilon = parse_epsilon(options.target_epsilon, "--target-epsilon")
    delta = at_least_zero(options.target_delta, "--target-delta")
    if math.isinf(epsilon) or delta >= 1:
        raise InputError("calibrate: allowed: a finite --target-epsilon, a --target-delta below 1")
    params = parse(entry.params, given(options), f"calibrate {entry.name}")
    _show(entry.compute(params, epsilon, delta).as_json(), options.json)


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{key}: {value}" for key, value in result.items()))
