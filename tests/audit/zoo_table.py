"""Audit all programs of the folder zoo, by replay and from samples; run it to write zoo.csv and the
table of docs/auditing.md."""

import csv
import importlib.util
import inspect
import re
import sys
from collections import Counter
from functools import cache, partial
from pathlib import Path

from dpbandits.audit.replayed.program import learner_program

from dpbandits.audit.replayed.programs import (
    RecordedParams,
    audit_learner_class,
    audit_recorded_function,
)
from dpbandits.audit.sampled.function import FunctionParams, audit_function

HERE = Path(__file__).parent
TABLE, PAGE = HERE / "zoo.csv", HERE.parents[1] / "docs/auditing.md"
COLUMNS = ("set", "program", "label", "replay", "samples")
SETS = {"ours": "ours", "stranger_0": "first stranger's", "stranger_1": "second stranger's",
        "stranger_2": "third stranger's", "stranger_3": "fourth stranger's"}  # fmt: skip
RUNS = 4000  # of each data set, for both audits
HEAD = (
    "| programs | label | replay: within | not shown | found, no samples | found with samples |"
    " samples alone: found | nothing found |\n|---|---|---:|---:|---:|---:|---:|---:|"
)


@cache
def modules() -> dict:
    found = {}
    for path in sorted((HERE / "zoo").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"zoo_{path.stem}", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[path.stem] = module
    return found


def programs_of(module) -> dict:
    """{name: (label, program)}: by LABELS, or by the first word of a docstring; with a parameter
    `broken` it is two."""
    if labels := getattr(module, "LABELS", None):
        return {name: (label, getattr(module, name)) for name, label in labels.items()}
    found = {}
    for name, program in vars(module).items():
        if getattr(program, "__module__", None) != module.__name__:
            continue
        if "broken" in inspect.signature(program).parameters:
            found[name] = "right", program
            found[f"{name}.broken"] = "broken", partial(program, broken=True)
        elif word := re.match("RIGHT|BROKEN", program.__doc__ or ""):
            found[name] = word[0].lower(), program
    return found


@cache
def programs() -> dict:
    """{(file, name): (label, program)}."""
    return {(f, name): one for f, m in modules().items() for name, one in programs_of(m).items()}


def audited(file: str, name: str):
    """(the result of the replay, that from samples of the pair that the replay suspects most)."""
    module, (_, program) = modules()[file], programs()[file, name]

    def get(key, default):
        value = getattr(module, key, default)
        return value.get(name.split(".")[0], default) if isinstance(value, dict) else value

    learner = inspect.isclass(getattr(program, "func", program))
    claim = {"epsilon": get("EPSILON", 1.0), "delta": get("DELTA", 0.0), "runs": RUNS}
    params = RecordedParams(
        values=get("VALUES", [0, 1]), records=get("RECORDS", 6 if learner else 4), tries=200,
        neighbours=get("NEIGHBOURS", "replace"), **claim,
    )  # fmt: skip
    result = (audit_learner_class if learner else audit_recorded_function)(program, params)
    function = program
    if learner:
        play = learner_program(lambda noise, rng: program(epsilon=1.0, noise=noise, rng=rng)).run
        function = lambda data, rng: play(data, rng)  # noqa: E731
    pair = FunctionParams(data=result.data, neighbour=result.neighbour, **claim)
    return result, audit_function(function, pair) if result.data != result.neighbour else None


def row(file: str, name: str) -> list[str]:
    replay, samples = audited(file, name)
    found = "found" if replay.sampled is None else "found with samples"
    words = "within" if replay.within else found if replay.refuted else "not shown"
    set_ = file if file in SETS else "ours"
    return [set_, f"{file}.{name}" if set_ == "ours" else name, programs()[file, name][0], words,
            "found" if samples and samples.refuted else "nothing found"]  # fmt: skip


def summary(rows: list[list[str]]) -> str:
    lines = [HEAD]
    for title, sets in [*((v, [k]) for k, v in SETS.items()), ("all", list(SETS))]:
        for label in ("right", "broken"):
            of = [r for r in rows if r[0] in sets and r[2] == label]
            replay, samples = (Counter(r[i] for r in of) for i in (3, 4))
            kinds = ("within", "not shown", "found", "found with samples")
            cells = [*(replay[k] for k in kinds), samples["found"], samples["nothing found"]]
            lines.append(f"| {title} | {len(of)} {label} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def read() -> list[list[str]]:
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def write() -> None:
    rows = []
    for key in programs():
        rows.append(row(*key))
        print(*rows[-1], flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])
    text = PAGE.read_text(encoding="utf-8")
    table = re.compile(re.escape(HEAD) + r"\n(\|.*\n)*")
    PAGE.write_text(table.sub(lambda _: summary(rows) + "\n", text), encoding="utf-8")


if __name__ == "__main__":
    write()
