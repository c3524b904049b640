"""Audit all programs of the folder zoo without a sample; run it to write zoo.csv, and
zoo_by_a_stranger.csv of the programs of someone who did not know how the auditor works."""

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
STRANGER = HERE / "zoo_by_a_stranger.csv"
STRANGER_COLUMNS = ("program", "kind", "loss", "at_least", "decided", "verdict")


def modules(folder="zoo"):
    for path in sorted((HERE / folder).glob("*.py")):
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


def stranger_rows():
    """Each program claims epsilon 1; decided: "right" or "wrong", or "no" if not shown."""
    ((_, module),) = modules("zoo/by_a_stranger")
    for kind, programs in (("right", module.RIGHT), ("broken", module.BROKEN)):
        for program in programs:
            result = audit_recorded_function(program, RecordedParams(records=4))
            decided = "right" if result.within else "wrong" if result.refuted else "no"
            numbers = f"{result.epsilon:.9g}", f"{result.at_least:.9g}"
            yield program.__name__, kind, *numbers, decided, result.verdict


def table(columns=COLUMNS, rows_of=rows) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows_of())
    return text.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    STRANGER.write_text(table(STRANGER_COLUMNS, stranger_rows), encoding="utf-8")
