"""No default and no limit of a parameter changes unnoticed: of algorithms, audits, bounds, studies.

After an intended change this file, run as a script, writes parameters.csv again. Look at the
difference.
"""

import csv
import json
from pathlib import Path

from dpbandits.audit.replayed import functions, learners
from dpbandits.core.algorithms import algorithms
from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS
from dpbandits.reproduction.comparison import BOUNDS
from dpbandits.reproduction.designs import DESIGNS
from dpbandits.reproduction.studies import STUDIES

FILE = Path(__file__).with_name("parameters.csv")
OTHERS = functions.FunctionParams, learners.RecordedLearner


def models():
    yield from ((f"algorithm {name}", entry.setting) for name, entry in algorithms().items())
    for registry in (MECHANISMS, CALIBRATORS, BOUNDS, STUDIES):
        yield from ((f"{registry.kind} {name}", e.params) for name, e in registry.all().items())
    yield from ((f"design {name}", entry) for name, entry in DESIGNS.all().items())
    yield from ((model.__name__, model) for model in OTHERS)


def without_words(schema):
    if isinstance(schema, dict):
        words = {"title", "description"}
        return {k: without_words(v) for k, v in schema.items() if k not in words}
    return [without_words(part) for part in schema] if isinstance(schema, list) else schema


def found():
    rows = [["model", "parameter", "allowed"]]
    for name, model in models():
        schema = model.model_json_schema()
        for part, nested in ({"": schema} | schema.get("$defs", {})).items():
            for key, allowed in nested.get("properties", {}).items():
                text = json.dumps(without_words(allowed), sort_keys=True)
                rows.append([name, f"{part}.{key}".strip("."), text])
    return rows


def test_parameters_are_the_stored_ones():
    with open(FILE, newline="", encoding="utf-8") as file:
        assert found() == list(csv.reader(file))


if __name__ == "__main__":
    with open(FILE, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(found())
