"""Audit all programs of the folder zoo without a sample; run it to write zoo.csv."""

import csv
import importlib.util
import inspect
import io
from pathlib import Path

from dpbandits.audit.replay import RecordedParams, audit_learner_class, audit_recorded_function

HERE = Path(__file__).parent
TABLE = HERE / "zoo.csv"
COLUMNS = ("program", "kind", "defect", "epsilon", "delta", "loss", "at_least", "delta_at_most",
           "found", "pairs", "runs", "verdict")  # fmt: skip


def modules():
    for path in sorted((HERE / "zoo").glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"zoo_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield path.stem, module


def audited(module, kind):
    get = lambda name, default: getattr(module, name, default)  # noqa: E731
    params = RecordedParams(
        epsilon=get("EPSILON", 1.0), delta=get("DELTA", 0.0), values=get("VALUES", [0, 1]),
        records=get("RECORDS", 4), neighbours=get("NEIGHBOURS", "replace"),
    )  # fmt: skip
    program = getattr(module, kind)
    audit = audit_learner_class if inspect.isclass(program) else audit_recorded_function
    return params, audit(program, params)


def rows():
    for name, module in modules():
        for kind in ("sound", "broken"):
            if hasattr(module, kind):
                params, result = audited(module, kind)
                numbers = (result.epsilon, result.at_least, result.delta)
                yield (
                    name, kind, getattr(module, "DEFECT", "") if kind == "broken" else "",
                    params.epsilon, params.delta, *(f"{x:.9g}" for x in numbers),
                    "no" if result.within else "yes", result.pairs, result.runs, result.verdict,
                )  # fmt: skip


def table() -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows())
    return text.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
