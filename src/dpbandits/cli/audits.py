"""`dpbandits audit`, `bound` and `calibrate`: privacy loss, theorem and noise of a mechanism."""

import itertools
import json
import math
import re
from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError

from dpbandits.cli.inputs import at_least_zero, items, parameters
from dpbandits.core.errors import InputError
from dpbandits.core.models import explain, parse, parse_epsilon

ROUNDING = 1e-12  # a loss below it is 0 up to rounding


def audit(options) -> int:
    from dpbandits.core.mechanisms import MECHANISMS

    ways = ("mechanism", "function", "measurement", "learner")
    chosen = [way for way in ways if getattr(options, way)]
    if len(chosen) != 1:
        raise InputError(
            "audit: allowed: one of MECHANISM, --learner NAME, --function package.module:name, "
            "--measurement LIBRARY:NAME"
        )
    for name in ("at_epsilon", "at_alpha"):
        if getattr(options, name) and chosen != ["mechanism"]:
            option = "--" + name.replace("_", "-")
            raise InputError(f"audit {option}: allowed: with a MECHANISM, not with --{chosen[0]}")
    if options.fail and chosen == ["mechanism"]:
        raise InputError("audit --fail: allowed: with --function, --learner, --measurement")
    if options.noise and chosen != ["function"]:
        raise InputError("audit --noise: allowed: with --function")
    if options.mechanism:
        result = _compute(MECHANISMS.get(options.mechanism), options, "audit")
        if not options.json:
            result = _claimed(options) | result
    elif options.measurement:
        from dpbandits.audit.measurement import audit_measurement

        result = audit_measurement(options.measurement, parameters(options), typed=True).as_json()
    elif options.learner or options.noise:
        from dpbandits.audit.replay import audit_recorded

        result = audit_recorded(options.learner, options.function, parameters(options)).as_json()
    else:
        from dpbandits.audit.function import FunctionParams, audit_function, load

        params = parse(FunctionParams, parameters(options), "audit --function", typed=True)
        result = audit_function(load(options.function), params).as_json()
    _print(result, options.json)
    refuted = result.get("refuted") or result.get("verdict") == "violated"
    return 1 if options.fail and refuted else 0


def bound(options) -> None:
    from dpbandits.core.mechanisms import BOUNDS

    result = _compute(BOUNDS.get(options.mechanism, "mechanism"), options, "bound")
    print(json.dumps(result) if options.json else side_by_side(result))


def _claimed(options) -> dict[str, Any]:
    """The epsilon that is claimed, to be read beside the loss: a parameter, or a printed bound."""
    from dpbandits.core.mechanisms import BOUNDS, MECHANISMS

    given = parameters(options)
    if "epsilon" in MECHANISMS.get(options.mechanism).params.model_fields:
        return {"claimed_epsilon": given["epsilon"]} if "epsilon" in given else {}
    if options.mechanism not in BOUNDS.all():
        return {}
    printed = _compute(BOUNDS.get(options.mechanism), options, "audit")["pure_epsilon"]
    return {"claimed_epsilon": printed["printed"]} if "printed" in printed else {}


ABOUT_LOSS = {  # what the columns say that are not of a theorem
    "exact": "exact: the largest loss over the neighbours.",
    "at_most": "at most: an upper bound of the loss.",
    "found": "found: the loss at two neighbours that were found; others may lose more.",
}

ABOUT_DELTA = (
    "A printed delta is that of the printed (eps, delta) statement or, where it is less, what the",
    "printed pure bound implies, though the paper does not print it.",
)


def side_by_side(result: dict[str, Any]) -> str:
    """A table of printed, repaired and true values, and which printed ones are refuted."""
    rows = {"pure epsilon": result["pure_epsilon"]}
    rows |= {f"delta at {epsilon}": values for epsilon, values in result["delta_at"].items()}
    columns = list(dict.fromkeys(column for values in rows.values() for column in values))
    cells = [["", *(column.replace("_", " ") for column in columns)]]
    for name, values in rows.items():
        cells.append([name, *(_digits(values[c]) if c in values else "" for c in columns)])
    lines = ["".join(f"{cell:<20}" for cell in row).rstrip() for row in cells]
    lines += ["", *(ABOUT_LOSS[column] for column in columns if column in ABOUT_LOSS)]
    if result["delta_at"] and "printed" in columns:
        lines += ABOUT_DELTA
    if rho := result.get("rho"):
        sides = (f"{name.replace('_', ' ')} {float(x):.6g}" for name, x in rho.items())
        lines.append(f"rho of zCDP: {', '.join(sides)}.")
    below = [name.replace("_", " ") for name in result.get("printed_below_the_loss", [])]
    if below:
        lines.append(f"The printed value is refuted here: {', '.join(below)} is below the loss.")
    if result["claims"]:
        lines += ["", "Rows of the ledger (their symbols: docs/proofs):"]
    return "\n".join([*lines, *map(_claim_line, result["claims"])])


def _digits(value) -> str:
    return "0" if abs(float(value)) < ROUNDING else f"{float(value):.6g}"


def _claim_line(id: str) -> str:
    """A claim's printed reading: its severity, and when the repaired value is informative."""
    from dpbandits.reproduction.ledger.claims import get_claim
    from dpbandits.reproduction.plots.plaintext import plain

    reading = get_claim(id).readings[0]
    outcome = f"fails ({reading.severity})" if reading.severity else "holds"
    informative = reading.repaired.partition("Informative: ")[2]
    # leave out brackets with a number of the counterexample, as in "(here [[n]])"
    informative = re.sub(r" \([^()]*\[\[[^()]*\)", "", informative)
    note = f"; the repaired value is informative: {plain(informative)}" if informative else ""
    return f"  {id} {outcome}{note}"


def _compute(entry, options, command: str) -> dict[str, Any]:
    """The result of a mechanism, with each epsilon spelled as it was typed."""
    from dpbandits.core.mechanisms import named

    typed = items(options.at_epsilon, "--at-epsilon") if options.at_epsilon else []
    epsilons = {text: at_least_zero(text, "--at-epsilon") for text in typed}
    params = parse(entry.params, parameters(options), f"{command} {entry.name}", typed=True)
    alphas = (
        [_order(text) for text in items(options.at_alpha, "--at-alpha")] if options.at_alpha else ()
    )
    result = entry.compute(params, tuple(dict.fromkeys(epsilons.values())), tuple(alphas)).as_json()
    deltas = {text: result["delta_at"][named(epsilon)] for text, epsilon in epsilons.items()}
    return result | {"delta_at": deltas}


def _order(text: str) -> float:
    """An order of Renyi divergence; 1 is the KL divergence."""
    order = at_least_zero(text, "--at-alpha")
    if order < 1:
        raise InputError(f"--at-alpha = {text}: allowed: a number from 1")
    return order


def keys_of_settings(names: str) -> str:
    """The keys of the settings of algorithms, separated by commas."""
    from dpbandits.core.algorithms import get_algorithm

    entries = [get_algorithm(name) for name in items(names, "algorithm")]
    how = "--setting '{\"KEY\": VALUE, ...}'"
    return "\n".join(_keys(f"the setting of {e.name}", e.setting, how) for e in entries)


def keys_of(name: str | None, command: str) -> str:
    """The keys that a mechanism takes; without a name those of the other audits."""
    from dpbandits.core.mechanisms import BOUNDS, CALIBRATORS, MECHANISMS

    if name is None and command != "audit":
        return f"The keys of a mechanism: dpbandits {command} NAME --help"
    if name:
        registry = {"audit": MECHANISMS, "bound": BOUNDS, "calibrate": CALIBRATORS}[command]
        return _keys(name, registry.get(name, "mechanism").params)
    from dpbandits.audit.function import FunctionParams
    from dpbandits.audit.measurement import OPENDP
    from dpbandits.audit.replay import RecordedLearner, RecordedParams

    models = {"--function": FunctionParams, "--function --noise recorded": RecordedParams}
    models |= {"--learner (and those of its setting)": RecordedLearner}
    models |= {f"--measurement opendp:{key}": model for key, (model, _) in OPENDP.items()}
    return "\n".join(_keys(option, model) for option, model in models.items())


def _keys(name: str, params, how: str = "--set KEY=VALUE ...") -> str:
    lines = [f"Keys of {name}: {how}"]
    for field_name, field in params.model_fields.items():
        default = "needed" if field.is_required() else f"default {field.get_default()!r}"
        about = "; ".join(filter(None, [field.description, _allowed(field), default]))
        lines.append(f"  {field.alias or field_name:<14} {about}")
    return "\n".join(lines)


def _allowed(field) -> str:
    """The values that a pydantic field allows: its choices or its limits, as text."""
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
    if (options.target_epsilon is None) == (options.target_rho is None):
        raise InputError("calibrate: allowed: --target-epsilon, or --target-rho of zCDP")
    params = parse(entry.params, parameters(options), f"calibrate {entry.name}", typed=True)
    if options.target_rho is not None:
        from dpbandits.audit.calibrate import target_rho_of

        rho = target_rho_of(options.target_rho, "--target-rho", entry, options.target_delta != "0")
        _print(entry.compute(params, target_rho=rho).as_json(), options.json)
        return
    epsilon = parse_epsilon(options.target_epsilon, "--target-epsilon")
    delta = at_least_zero(options.target_delta, "--target-delta")
    if math.isinf(epsilon) or delta >= 1:
        raise InputError("calibrate: allowed: a finite --target-epsilon, a --target-delta below 1")
    try:
        result = entry.compute(params, epsilon, delta).as_json()
    except ValidationError as error:  # the noise that is needed is beyond what a mechanism takes
        raise InputError(explain(error, entry.params, f"calibrate {entry.name}")) from None
    _print(result, options.json)


def _print(result: dict[str, Any], as_json: bool) -> None:
    print(json.dumps(result) if as_json else "\n".join(lines_of(result)))


def lines_of(values: dict[str, Any], indent: str = "") -> list[str]:
    """A line per value, what is inside another one below it; nothing for what is empty."""
    lines = []
    for key, value in values.items():
        if isinstance(value, dict):
            inside = lines_of(value, f"{indent}  ")
            lines += [f"{indent}{key}:", *inside] if inside else []
        elif value != "":
            lines.append(f"{indent}{key}: {text_of(value)}")
    return lines


def text_of(value) -> str:
    """A value as text; equal rows one after the other are counted."""
    if isinstance(value, list | tuple):
        groups = [(item, len(list(same))) for item, same in itertools.groupby(map(text_of, value))]
        rows = any(isinstance(item, list | tuple | dict) for item in value)
        if rows:
            return ", ".join(f"{n} times {item}" if n > 1 else item for item, n in groups)
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, dict):
        return " ".join(f"{key} {text_of(item)}" for key, item in value.items())
    if isinstance(value, float):
        return "0" if abs(value) < ROUNDING else f"{value:.10g}"
    return str(value)
