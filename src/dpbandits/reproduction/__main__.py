"""The commands of the workflow's rules: `python -m dpbandits.reproduction COMMAND ARGUMENT...`.

The environment variable DPBANDITS_CONFIG has, as JSON, the keys of config/config.yaml that the run
changed.
"""

import json
import os
import sys
from pathlib import Path

from dpbandits.reproduction import processor

processor.pin()  # before anything loads NumPy

from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table, write_text
from dpbandits.reproduction.files import write_csv, write_parquet
from dpbandits.reproduction.papers import OWN
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.pipeline.plan import Plan


def run_config() -> dict:
    """config/config.yaml with the keys that the run changed."""
    return read_yaml(CONFIG) | json.loads(os.environ.get("DPBANDITS_CONFIG", "{}"))


def simulate(job: str, out: str) -> None:
    """Simulate the cells of the job PAPER/EXPERIMENT/PART."""
    from dpbandits.reproduction.pipeline import jobs

    write_parquet(jobs.simulate(Plan(run_config(), job).jobs[job]), out)


def aggregate(table: str, out: str, *parts: str) -> None:
    """Summarise the simulations of an experiment, PAPER/NAME."""
    from dpbandits.reproduction.pipeline.jobs import table_from

    experiment = Plan(run_config(), table).experiment(*table.split("/"))
    write_csv(table_from(experiment, map(read_table, parts), table), out)


def study(table: str, out: str) -> None:
    """Compute the table of a study, PAPER/NAME."""
    entry, params = Plan(run_config(), table).study(*table.split("/"))
    write_csv(entry.table(params), out)


def claims(paper: str, results: str) -> None:
    """Check the claims of a paper: verdicts, what was measured, certificates."""
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.pipeline.ledger import check_all

    folder = Path(results, "claims", paper)
    verdicts, points, refuted = check_all(sorted(claims(paper)), Path(results, "tables", paper))
    write_csv(verdicts, folder / "verdicts.csv")
    write_csv(points, folder / "points.csv")
    write_text(json.dumps(refuted, indent=1), folder / "certificates.json")


def ledger(results: str, *verdicts: str) -> None:
    """Put the verdicts of all papers together, with what Coq has checked; write the letters."""
    import pandas as pd

    from dpbandits.reproduction.ledger.formal import THEOREMS, theorems, with_coq_result
    from dpbandits.reproduction.ledger.rows import read_ledger
    from dpbandits.reproduction.ledger.verdicts import COLUMNS
    from dpbandits.reproduction.report.letters import letter

    proved, folder = theorems(THEOREMS), Path(results, "figures")
    rows = [with_coq_result(row, proved) for path in verdicts for row in read_ledger(path)]
    write_csv(pd.DataFrame(rows, columns=list(COLUMNS)), folder / "claims.csv")
    for key in (Path(path).parent.name for path in verdicts):
        if key == OWN:  # nobody to write to
            continue
        write_text(letter(key, rows), folder / key / "letter.md")


def draw(results: str, executed: str) -> None:
    """Run the notebook behind results/notebooks/PAPER/NAME.ipynb and export it as HTML."""
    from dpbandits.reproduction.pipeline import notebooks

    notebook = notebooks.source(Path(executed).parent.name)
    notebooks.run(str(notebook), executed, Path(results))
    notebooks.export(executed, Path(executed).with_suffix(".html"))


def publish(out: str) -> None:
    """Copy what changed into figures/ and certificates/."""
    from dpbandits.reproduction.ledger.certificate_files import contents
    from dpbandits.reproduction.report.publish import copy, publish

    plan = Plan(run_config())
    results = Path(plan.places.results)
    text = publish(results / "figures", plan.places.figures, list(plan.papers))
    for key in plan.papers:
        if (path := results / f"claims/{key}/certificates.json").is_file():
            refuted = json.loads(path.read_text(encoding="utf-8"))
            text += copy(contents(refuted), Path(plan.places.certificates))
    write_text(text, out)


def report(out: str) -> None:
    """Write one HTML page of the whole run."""
    from dpbandits.reproduction.report.page import build

    write_text(build(Plan(run_config())), out)


def archive(out: str) -> None:
    """Put the run into one zip file."""
    from dpbandits.reproduction.pipeline.archive import write

    config = run_config()
    write(Path(Plan(config).places.results), config, out)


COMMANDS = [simulate, aggregate, study, claims, ledger, draw, publish, report, archive]


def main(command: str, *arguments: str) -> int:
    try:
        {function.__name__: function for function in COMMANDS}[command](*arguments)
    except InputError as error:  # one line for the log; of all else the traceback
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
