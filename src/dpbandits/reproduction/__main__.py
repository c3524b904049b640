"""The commands of the workflow's rules: `python -m dpbandits.reproduction COMMAND ...`.

Each ends by printing the checksums of the files that it has made, for its log.
The environment variable DPBANDITS_CONFIG has, as JSON, the keys of config/config.yaml that the run
changed.
"""

import argparse
import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from dpbandits.core.documents import parse_json, read_yaml
from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.files import (
    read_rows,
    read_table,
    sha256,
    write_csv,
    write_parquet,
    write_text,
    written,
)
from dpbandits.reproduction.pipeline import CONFIG, manifest
from dpbandits.reproduction.pipeline.plan import Plan


def simulate(job: str, out: str) -> None:
    """Simulate the cells of the job PAPER/EXPERIMENT/PART."""
    from dpbandits.reproduction.pipeline import jobs

    write_parquet(jobs.simulate(Plan(run_config(), job).jobs[job]), out)


def aggregate(table: str, out: str, parts: list[str]) -> None:
    """Summarise the simulations of an experiment, PAPER/NAME."""
    from dpbandits.reproduction.pipeline.jobs import summarise

    series = Plan(run_config(), table).series(*table.split("/"))
    write_csv(summarise(map(read_table, parts), series), out)


def study(table: str, out: str) -> None:
    """Compute the table of a study, PAPER/NAME."""
    entry, params = Plan(run_config(), table).study(*table.split("/"))
    write_csv(entry.table(params), out)


def claims(paper: str, results: str) -> None:
    """Check the claims of a paper: verdicts, points of the plots, certificates."""
    from dpbandits.reproduction.ledger.claims import claims
    from dpbandits.reproduction.pipeline.ledger import check_all

    folder = Path(results, "claims", paper)
    verdicts, points, refuted = check_all(sorted(claims(paper)), Path(results, "tables", paper))
    write_csv(verdicts, folder / "verdicts.csv")
    write_csv(points, folder / "points.csv")
    write_text(json.dumps(refuted, indent=1), folder / "certificates.json")


def ledger(results: str, verdicts: list[str]) -> None:
    """Put the verdicts of all papers together, with what Coq has checked."""
    import pandas as pd

    from dpbandits.reproduction.ledger.formal import THEOREMS, theorems, with_coq_result
    from dpbandits.reproduction.ledger.verdicts import COLUMNS
    from dpbandits.reproduction.pipeline.ledger import as_markdown

    proved = theorems(THEOREMS)
    rows = [with_coq_result(row, proved) for path in verdicts for row in read_rows(path)]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    write_csv(table, Path(results, "figures/claims.csv"))
    write_text(as_markdown(table), Path(results, "figures/claims.md"))


def draw(results: str, executed: str, made: list[str]) -> None:
    """Run the notebook behind results/notebooks/PAPER/NAME.ipynb and export it as HTML.

    made: all files of the job. A process of the notebook writes those of figures."""
    from dpbandits.reproduction.pipeline import notebooks

    paper, name = Path(executed).parent.name, Path(executed).stem
    notebooks.run(str(notebooks.source(paper, name)), executed, Path(results), paper)
    notebooks.export(executed, Path(executed).with_suffix(".html"))
    if failed := notebooks.printed(executed, "could not be drawn"):
        raise RuntimeError(failed)
    written.update(map(Path, made))


def typeset(tables: list[str]) -> None:
    """Write each table also in Markdown and in LaTeX."""
    from dpbandits.reproduction.pipeline.typeset import as_latex, as_markdown, readable

    for name in tables:
        table, note = readable(read_table(name))
        write_text(as_markdown(table, note), Path(name).with_suffix(".md"))
        write_text(as_latex(table, note), Path(name).with_suffix(".tex"))


def publish(out: str) -> None:
    """Copy what changed into figures/ and certificates/; write the manifest of checksums."""
    from dpbandits.core.packages import files_in
    from dpbandits.reproduction.ledger import certificate_files as certificates
    from dpbandits.reproduction.pipeline.publish import publish

    plan = Plan(run_config())
    places, results = plan.places, Path(plan.places.results)
    if manifest.not_as_made(results):
        raise InputError("nothing is published")
    made = results / "figures"
    text = publish(made, places.figures, list(plan.papers), manifest.last(results))
    published = [Path(places.figures, path.relative_to(made)) for path in files_in(made)]
    for path in sorted(results.glob("claims/*/certificates.json")):
        refuted = json.loads(path.read_text(encoding="utf-8"))
        published += [certificates.place(one, places.certificates) for one in refuted]
        if path.parent.name in plan.papers:
            text += certificates.publish(refuted, places.certificates)
    manifest.write(results, published, map(plan.part_path, plan.jobs.values()))
    write_text(text, out)


def report(out: str) -> None:
    """Write one HTML page of the whole run."""
    from dpbandits.reproduction.report.page import build

    write_text(build(Plan(run_config())), out)


def paper(out: str, ledger: str) -> None:
    """Write the article, and in the same folder the letters to the authors."""
    from dpbandits.reproduction.pdf.build import build

    build(Path(ledger), Path(out).parent, list(Plan(run_config()).papers))


def archive(out: str) -> None:
    """Put the run into one zip file."""
    from dpbandits.reproduction.pipeline.archive import write

    config = run_config()
    write(Plan(config), config, Path(out))


def run_config() -> dict:
    """config/config.yaml with the keys that the run changed."""
    changes = parse_json(os.environ.get("DPBANDITS_CONFIG", "{}"), "DPBANDITS_CONFIG")
    if not isinstance(changes, dict):
        raise InputError("DPBANDITS_CONFIG: allowed: a JSON object of keys of the config")
    return read_yaml(CONFIG) | changes


def parser() -> argparse.ArgumentParser:
    parsed = argparse.ArgumentParser(prog="python -m dpbandits.reproduction", description=__doc__)
    commands = parsed.add_subparsers(required=True)

    def add(command, *names: str, many: str = "") -> None:
        """A subcommand with these arguments; `many`: a last one of any number of values."""
        of_command = commands.add_parser(command.__name__, help=command.__doc__)
        of_command.set_defaults(command=command)
        for name in names:
            of_command.add_argument(name)
        if many:
            of_command.add_argument(many, nargs="*")

    add(simulate, "job", "out")
    add(aggregate, "table", "out", many="parts")
    add(study, "table", "out")
    add(claims, "paper", "results")
    add(ledger, "results", many="verdicts")
    add(draw, "results", "executed", many="made")
    add(typeset, many="tables")
    add(publish, "out")
    add(report, "out")
    add(paper, "out", "ledger")
    add(archive, "out")
    return parsed


def main(words: list[str] | None = None) -> int:
    arguments = vars(parser().parse_args(words))
    command = arguments.pop("command")
    try:
        command(**arguments)
    except Exception as error:
        if isinstance(error, InputError | ProofError) or getattr(error, "filename", None):
            print(error, file=sys.stderr)  # it names what is wrong, or a file
        else:
            traceback.print_exc()
        with suppress(InputError):
            results = Path(Plan(run_config()).places.results)
            if line := manifest.not_as_made(results):
                print(line, file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    for path in sorted(written):
        print(f"{sha256(path)}  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
