"""What is asked of a mechanism: its privacy loss, its theorem, the noise that it needs."""

import json
import math
import re
from typing import Any

from dpbandits.cli.inputs import at_least_zero, given, items
from dpbandits.core.errors import InputError
from dpbandits.core.models import parse, parse_epsilon


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

    found = _answer(BOUNDS.get(options.mechanism, "mechanism"), options, "bound")
    print(json.dumps(found) if options.json else side_by_side(found))


def side_by_side(found: dict[str, Any]) -> str:
    """Printed, repaired and true values as a table, and what they say of the printed rows."""
    sides = list(found["pure_epsilon"])
    values = {"pure_epsilon": found["pure_epsilon"]}
    values |= {f"delta_at {e}": at for e, at in found["delta_at"].items()}
    cells = [["", *sides]]
    for name, at in values.items():
        cells.append([name.replace("_", " "), *(f"{float(at[side]):.6g}" for side in sides)])
    lines = ["".join(f"{cell:<20}" for cell in row).rstrip() for row in cells]
    lines += ["", f"Method of the last column: {found['method']}; the loss of this one input."]
    below = [name.replace("_", " ") for name in found.get("printed_below_the_loss", [])]
    if below:
        lines.append(f"The printed value is refuted here: {', '.join(below)} is below the loss.")
    return "\n".join([*lines, "", "Rows of the ledger:", *map(_of_row, found["claims"])])


def _of_row(id: str) -> str:
    """A claim as printed: how badly it fails, if so, and when what is true instead says much."""
    from dpbandits.core.claims import get_claim
    from dpbandits.plots.plaintext import plain

    row = get_claim(id).readings[0]
    fails = f"fails ({row.severity})" if row.severity else "holds"
    when = row.repaired.partition("Informative: ")[2]
    when = re.sub(r" \([^()]*\[\[[^()]*\)", "", when)  # a number of the counterexample
    return f"  {id} {fails}" + (f"; the repaired value says much: {plain(when)}" if when else "")


def _asked(entry, options, command: str) -> None:
    _show(_answer(entry, options, command), options.json)


def _answer(entry, options, command: str) -> dict[str, Any]:
    """Computed at the asked epsilon, whose spelling the answer keeps."""
    from dpbandits.core.mechanisms import named

    typed = items(options.at_epsilon, "--at-epsilon") if options.at_epsilon else []
    at = {e: at_least_zero(e, "--at-epsilon") for e in typed}
    params = parse(entry.params, given(options), f"{command} {entry.name}")
    result = entry.compute(params, tuple(dict.fromkeys(at.values()))).as_json()
    return result | {"delta_at": {e: result["delta_at"][named(x)] for e, x in at.items()}}


def keys_of(name: str | None, command: str) -> str:
    """The keys and CSV columns that a mechanism takes; of `audit` without a name, --function's."""
    from dpbandits.audit.function import FunctionParams
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    if name is None and command != "audit":
        return f"The keys of a mechanism: dpbandits {command} NAME --help"
    registry = {"audit": MECHANISMS, "bound": BOUNDS, "calibrate": CALIBRATORS}[command]
    params = registry.get(name, "mechanism").params if name else FunctionParams
    lines = [f"Keys of {name or '--function'}: --set KEY=VALUE ..."]
    for field_name, field in params.model_fields.items():
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
