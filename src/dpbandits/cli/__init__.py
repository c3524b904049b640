"""Simulate and audit private algorithms, draw figures, and check claims and results.

`dpbandits COMMAND --help` lists the options; `dpbandits list NAME` the keys of an algorithm or of a
mechanism. Wrong input gives one line on stderr and exit code 2.
"""

import itertools
import math
import sys
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from dpbandits import __version__
from dpbandits.cli.derive import Epsilons, Json, Keys, call, listed, number, parser_of, whole
from dpbandits.core.documents import parse_json, read_json, read_yaml
from dpbandits.core.errors import InputError, ProofError, entry_of, extras, nearest, one_line
from dpbandits.reproduction import commands, processor

ROUNDING = 1e-12  # a loss below it is 0 up to rounding
LIMITS = {"gt": "above {:g}", "ge": "from {:g}", "lt": "below {:g}", "le": "to {:g}"}
LIMITS |= {"min_length": "at least {} of them"}
Name = Annotated[str, "see: dpbandits list mechanisms"]


def read_setting(text: str) -> dict[str, Any]:
    """JSON text, or a JSON or YAML file."""
    if text.lstrip().startswith(("{", "[")):
        return parse_json(text, "--setting")
    return (read_json if text.endswith(".json") else read_yaml)(text)


def range_of(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise ValueError(f"{text}: allowed: LOW:HIGH, e.g. 0.01:0.05")
    return number(low), number(high)


def csv_file(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".csv" or not path.absolute().parent.is_dir():
        raise ValueError(f"{text}: allowed: a name that ends in .csv, in a folder that exists")
    return path


def list_(
    kind: Annotated[str, "algorithms, mechanisms, claims, figures, studies; or a NAME"] = None,
    *,
    paper: Annotated[str, "only entries of one paper, e.g. hu"] = None,
    json: Json = False,
) -> None:
    """List what there is, with its file and line; for a NAME the keys that it takes.

    Of algorithms also what a run promises, whether that is true, and what proves it.
    """
    from dpbandits.core.algorithms import ALGORITHMS
    from dpbandits.core.mechanisms import MECHANISMS

    lists = {"algorithms": lambda: _rows(ALGORITHMS), "mechanisms": lambda: _rows(MECHANISMS)}
    lists |= commands.LISTS
    if kind not in (None, *lists):
        runs = ALGORITHMS.all()
        audits = MECHANISMS.all() if find_spec("flint") or kind.lower() not in runs else {}
        unknown = f"list: allowed: {', '.join(lists)}, or a name; unknown"
        name = entry_of(kind, runs | audits, unknown, "").name
        models = {"simulate --setting": runs[name].setting} if name in runs else {}
        models |= {"audit --set": audits[name].params} if name in audits else {}
        for option, model in models.items():
            print("\n".join([f"{name}: keys of {option}", *keys_of(model)]))
        return
    papers = commands.papers()
    if paper not in (None, *papers):
        raise InputError(f"list --paper {paper}: {nearest(paper, papers)}")
    rows = {k: [r for r in all() if paper in (None, r["paper"])] for k, all in lists.items()
            if kind in (None, k)}  # fmt: skip
    if json:
        print(dumps(rows if kind is None else rows[kind], indent=1))
        return
    print("\n\n".join(_table(k, group) for k, group in rows.items() if group))


def _table(kind: str, rows: list[dict[str, Any]]) -> str:
    """A header and a line per row, in columns; `list NAME` shows keys."""
    shown = [key for key in rows[0] if key != "keys"]
    head = [kind, *(key.replace("as_claimed", "private as claimed") for key in shown[1:])]
    lines = [head, *([str(row[key]) for key in shown] for row in rows)]
    widths = [min(max(map(len, column)), 28) for column in zip(*lines, strict=True)]
    padded = (zip(line, widths, strict=True) for line in lines)
    return "\n".join("  ".join(f"{cell:<{w}}" for cell, w in line).rstrip() for line in padded)


def _rows(registry) -> list[dict[str, str]]:
    rows = []
    for entry in registry.all().values():
        model = getattr(entry, "setting", None) or entry.params
        row = {"name": entry.name, "paper": commands.key_of(entry.module)}
        row |= {"notion": entry.notion.name} if hasattr(entry, "notion") else {}
        row |= {
            k: getattr(entry, k) for k in ("as_claimed", "proof", "source") if hasattr(entry, k)
        }
        keys = ", ".join(field.alias or name for name, field in model.model_fields.items())
        rows.append(row | {"keys": keys, "place": str(registry.place(entry.name))})
    return rows


def keys_of(model) -> list[str]:
    """A line for each key of a pydantic model: what it is, what is allowed, its default."""
    lines = []
    for name, field in model.model_fields.items():
        choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        rules = [text.format(limit) for rule in field.metadata for key, text in LIMITS.items()
                 if (limit := getattr(rule, key, None)) is not None]  # fmt: skip
        default = field.get_default()
        default = ",".join(map(str, default)) if isinstance(default, tuple) else default
        default = "may be left out" if default in (None, "") else f"default {default}"
        default = "needed" if field.is_required() else default
        allowed = " | ".join(map(str, choices)), " ".join(rules)
        about = "; ".join(filter(None, [field.description, *allowed, default]))
        lines.append(f"{field.alias or name:<14} {about}")
    return lines


def choose(
    *,
    arms: Annotated[whole, "number of arms"],
    epsilon: Annotated[number, "of each learner's promise"],
    horizon: Annotated[whole, "rounds T"],
    means: Annotated[range_of, "LOW:HIGH: arms' means are drawn from this range"] = "0:1",
    dim: Annotated[
        whole, "numbers of a person (with --like dp-signs: of an arm, too); left out: none"
    ] = None,
    instances: Annotated[whole, "how many; left out: as many as 40 s of one core allow"] = None,
    goal: Annotated[Literal["regret", "best-arm"], "best-arm: rules that end"] = "regret",
    confidence: Annotated[number, "of the answer, if the goal is best-arm"] = 0.95,
    delay: Annotated[whole, "rewards count so many rounds after their own"] = 0,
    contributions: Annotated[whole, "a person is in at most so many rounds"] = 1,
    allowed: Annotated[whole, "so many arms, at random, can be played in a round"] = None,
    like: Annotated[str, "an algorithm whose problem is meant; left out: arms, or contexts"] = None,
) -> None:
    """Simulate every private learner at your size; the best first, and the line of code."""
    from dpbandits.core import choose as choosing

    def progress(share):
        done = round(40 * share)
        if terminal:
            print(f"\r[{'#' * done}{'.' * (40 - done)}]", end="", file=sys.stderr, flush=True)
        elif share == 0:
            print("simulating: up to a minute", file=sys.stderr, flush=True)

    terminal = sys.stderr.isatty()
    sizes = {"arms": arms, "epsilon": epsilon, "horizon": horizon, "means": means, "dim": dim}
    sizes |= {"instances": instances, "allowed": allowed, "goal": goal, "confidence": confidence}
    served = {"delay": delay, "contributions": contributions, "like": like or ""}
    result = choosing.choose(**sizes, **served, progress=progress)
    if terminal:
        print(file=sys.stderr)
    print(result)


def simulate(
    algorithms: Annotated[listed(str), "names, separated by commas; see: dpbandits list"],
    *,
    setting: Annotated[read_setting, "JSON text, or a JSON or YAML file"],
    horizon: Annotated[whole, "rounds T"],
    seeds: Annotated[whole, "number of independent runs"],
    output: Annotated[csv_file, "FILE.csv; columns: algorithm,epsilon,seed,t,regret"],
    epsilon: Annotated[listed(number), "E[,E...]; private algorithms need it"] = None,
    first_seed: Annotated[whole, "seeds are S..S+N-1"] = 0,
    at: Annotated[listed(whole), "rounds t1,t2,...; left out: 50, log-spaced"] = None,
    engine: Annotated[Literal["fast", "plain"], "plain: as the paper prints it (slow)"] = "fast",
) -> None:
    """Run algorithms in one setting; write regret to a CSV."""
    from dpbandits.core.algorithms import get_algorithm, run
    from dpbandits.core.files import write_text
    from dpbandits.core.models import canonical, parse
    from dpbandits.core.trajectories import log_spaced

    entries = [get_algorithm(name) for name in algorithms]
    settings = {e: parse(e.setting, setting, f"setting of {e.name}") for e in entries}
    rounds, numbers = (
        sorted(at) if at else log_spaced(horizon),
        range(first_seed, first_seed + seeds),
    )
    lines = ["algorithm,epsilon,seed,t,regret"]
    for entry in entries:
        if epsilon is None and entry.private:
            raise InputError(f"--epsilon is required: '{entry.name}' is private")
        for e in epsilon if entry.private else [math.inf]:
            if text := entry.warning(settings[entry], e):
                print(f"warning: {text}", file=sys.stderr)
            result = run(entry.name, settings[entry], e, horizon, numbers, rounds, engine=engine)
            for seed, regret in zip(numbers, result.regret, strict=True):
                start = f"{entry.name},{e:.10g},{seed}"
                lines += [f"{start},{t},{x:.10g}" for t, x in zip(rounds, regret, strict=True)]
            last = f"regret {result.regret[:, -1].mean():.5g} at t = {rounds[-1]}, {seeds} seeds"
            print(f"{entry.name} at epsilon {e:g}: {last}", file=sys.stderr)
    write_text("\n".join([*lines, ""]), output)
    canonical_settings = {entry.name: canonical(x) for entry, x in settings.items()}
    write_text(dumps(canonical_settings, indent=1) + "\n", f"{output}.json")


def audit(
    mechanism: Name = None,
    *,
    set: Keys = (),
    learner: Annotated[
        str, "NAME, or PACKAGE.MODULE:CLASS: replayed on neighbouring rewards"
    ] = None,
    function: Annotated[str, "PACKAGE.MODULE:NAME of (data, generator): replayed, too"] = None,
    noise: Annotated[
        Literal["recorded", "sampled"],
        "of a function; sampled: runs alone, which can only refute",
    ] = None,
    at_epsilon: Epsilons = None,
    fail: Annotated[bool, "exit code 1 unless no leak is seen, for CI"] = False,
    allow: Annotated[listed(str), "not-judged,suspected: answers that do not fail"] = None,
    json: Json = False,
) -> int:
    """Compute the privacy loss of a mechanism, or look for a leak in a learner or a function.

    exact: attained, and no neighbour is worse. certified: by interval arithmetic, rounded up.
    bound: at most this, by the theorem that worst_neighbour names. Of running code the answer is
    "not (epsilon, delta)-DP", "suspected", "no leak seen" or "not judged".
    """
    from dpbandits.audit import questions

    if noise and not function:
        raise InputError("--noise: allowed with --function; a mechanism's key: --set noise=...")
    allow = allow or []
    if not {*allow} <= {"not-judged", "suspected"}:
        raise InputError(f"--allow {','.join(allow)}: allowed: not-judged, suspected")
    keys = dict(set) | ({"noise": noise or "recorded"} if function else {})
    ways = {"learner": learner, "function": function, "at_epsilon": at_epsilon or ()}
    result = questions.audit(mechanism, **ways, **keys).as_json()
    answer = result.get("answer", "no leak seen")
    if "answer" in result and not json:
        print(result["verdict"])
    else:
        show(result, json)
    return int(fail and answer.replace(" ", "-") not in ("no-leak-seen", *allow))


def calibrate(
    mechanism: Name,
    *,
    set: Keys = (),
    target_epsilon: Annotated[number, "to reach: pure or, with a delta, approximate"],
    target_delta: Annotated[number, "from 0 to below 1"] = 0.0,
    json: Json = False,
) -> None:
    """Find the noise that a target epsilon needs."""
    from dpbandits.audit import questions

    targets = {"target_epsilon": target_epsilon, "target_delta": target_delta}
    show(questions.calibrate(mechanism, **targets, **dict(set)).as_json(), json)


def show(values: dict[str, Any], as_json: bool) -> None:
    print(dumps(values) if as_json else "\n".join(lines_of(values)))


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
        if any(isinstance(item, list | tuple | dict) for item in value):
            return ", ".join(f"{n} times {item}" if n > 1 else item for item, n in groups)
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, dict):
        return " ".join(f"{key} {text_of(item)}" for key, item in value.items())
    if isinstance(value, float):
        return "0" if abs(value) < ROUNDING else f"{value:.10g}"
    return str(value)


def build_parser():
    ours = [list_, choose, simulate, audit, calibrate]
    return parser_of([*ours, *commands.COMMANDS], __doc__.split("\n")[0], __version__)


def main(arguments=None) -> int:
    """Call a command; wrong input is one line and exit code 2."""
    processor.pin()
    try:
        with extras():
            code = call(build_parser(), arguments)
        sys.stdout.flush()
        return code
    except ProofError as error:  # a check of our own failed: not the user's mistake
        line, code = str(error), 1
    except BrokenPipeError:  # e.g. `dpbandits list | head`
        sys.stderr.close()
        return 0
    except (InputError, OSError, MemoryError) as error:
        line, code = str(error) or "not enough memory", 2
    except KeyboardInterrupt:
        line, code = "interrupted", 130
    print(f"dpbandits: {one_line(line)}", file=sys.stderr)
    return code
