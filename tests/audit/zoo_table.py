"""Audit the programs of the folder zoo: `python zoo_table.py [SET.PROGRAM]` writes zoo.csv and the
table of docs/auditing.md."""

import csv
import importlib.util
import inspect
import os
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import numpy as np

from dpbandits.audit.replayed.functions import FunctionParams, audit_function
from dpbandits.audit.replayed.learners import audit_learner_class

HERE = Path(__file__).parent
TABLE, PAGE = HERE / "zoo.csv", HERE.parents[1] / "docs/auditing.md"
FIRST = HERE / "zoo_first.csv"  # of the second blind set, before anything was changed
COLUMNS = ("set", "program", "label", "answer", "seconds")
SETS = {"edges": "edges", "pairs": "ours, in pairs", "slips": "slips", "blind": "blind",
        "blind2": "blind, again"}  # fmt: skip
SETTINGS = {"tries": 200, "runs": 6000}
ANSWERS = ("no leak seen", "not judged", "suspected", "refuted")
HEAD = f"| programs | label | {' | '.join(ANSWERS)} |\n|---|---|{'---:|' * len(ANSWERS)}"


@cache
def modules() -> dict:
    """{file: module}; of the folders `blind` and `blind2` each file is one program."""
    found = {}
    for path in sorted((HERE / "zoo").rglob("*.py")):
        name = ".".join(path.relative_to(HERE / "zoo").with_suffix("").parts)
        spec = importlib.util.spec_from_file_location(f"zoo_{name.replace('.', '_')}", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[name] = module
    return found


def programs_of(module) -> dict:
    """{name: (label, program)}: by LABELS, or by the first word of a docstring; with a parameter
    `broken` it is two."""
    if labels := getattr(module, "LABELS", None):
        return {name: (label, getattr(module, name)) for name, label in labels.items()}
    found = {}
    for name, program in vars(module).items():
        if getattr(program, "__module__", None) != module.__name__ or name in ("Policy", "Base"):
            continue
        if "broken" in inspect.signature(program).parameters:
            found[name] = "right", program
            found[f"{name}.broken"] = "broken", partial(program, broken=True)
        elif word := re.match("RIGHT|BROKEN", program.__doc__ or ""):
            found[name] = word[0].lower(), program
    return found


@cache
def programs() -> dict:
    """{(set, name): (label, program)}."""
    found = {}
    for file, module in modules().items():
        if file.startswith("blind"):
            folder, label, name = file.split(".")
            found[folder, name] = label, module.f
        else:
            found |= {(file, name): one for name, one in programs_of(module).items()}
    return found


def audited(file: str, name: str, **more):
    label, program = programs()[file, name]
    blind = file.startswith("blind")
    module = modules()[f"{file}.{label}.{name}" if blind else file]

    def get(key, default):
        found = getattr(module, key, {})
        return found if blind else found.get(name.removesuffix(".broken"), default)

    keys = {"epsilon": get("EPSILON", 1.0), "delta": get("DELTA", 0.0),
            "neighbours": get("NEIGHBOURS", "replace"), "records": 4}  # fmt: skip
    if blind:
        keys["values"] = module.RECORDS
    else:
        keys |= {"values": get("VALUES", None), "records": get("RECORDS", 4)}
    params = FunctionParams(**keys, **more)
    is_class = isinstance(getattr(program, "func", program), type)
    return (audit_learner_class if is_class else audit_function)(program, params)


def answer(file: str, name: str, **settings) -> str:
    return audited(file, name, **settings).answer


def row(file: str, name: str) -> dict:
    label, _ = programs()[file, name]
    start = sum(os.times()[:4])  # of children, too
    said = answer(file, name, **SETTINGS)
    spent = sum(os.times()[:4]) - start
    return dict(zip(COLUMNS, (file, name, label, said, f"{spent:.1f}"), strict=True))


def bad(label: str, answer: str) -> bool:
    return (label, answer) in (("right", "refuted"), ("broken", "no leak seen"))


def lines_of(found: list[dict], sets=(*SETS, "all")) -> list[str]:
    lines = []
    for file in sets:
        for label in ("right", "broken"):
            of_set = (r for r in found if file in (r["set"], "all") and r["label"] == label)
            if not (counts := Counter(r["answer"] for r in of_set)):
                continue
            numbers = " | ".join(str(counts[x]) for x in ANSWERS)
            lines.append(f"| {SETS.get(file, 'all')} | {counts.total()} {label} | {numbers} |")
    return lines


def times(found: list[dict]) -> str:
    spent = [float(r["seconds"]) for r in found]
    middle, most = np.quantile(spent, [0.5, 0.95])
    (wide,) = (r["seconds"] for r in found if r["program"] == "histogram_of_2000")
    return (
        f"An audit took {middle:.1f} s of one core in the median, 95% took at most {most:.1f} s, "
        f"a histogram of 2,000 bins {wide} s."
    )


def read(table: Path = TABLE) -> list[dict]:
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(found: list[dict]) -> None:
    """These rows in place of the old ones, and the passages of the page."""
    rows = {(r["set"], r["program"]): r for r in [*read(), *found]}
    found = [rows[key] for key in programs() if key in rows]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(found)
    text, lines = PAGE.read_text("utf-8"), "\n".join(lines_of(found))
    text = re.sub(re.escape(HEAD) + r"\n(\|.*\n)*", f"{HEAD}\n{lines}\n", text)
    PAGE.write_text(re.sub(r"An audit took .* s\.", times(found), text), "utf-8")


if __name__ == "__main__":
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    places = [place for place in programs() if re.search(pattern, ".".join(place))]
    with ProcessPoolExecutor(4) as pool:
        made = []
        for found in pool.map(row, *zip(*places, strict=True)):
            print(*found.values(), flush=True)
            made.append(found)
    write(made)
