"""The commands of the workflow's rules: `python -m dpbandits.reproduction COMMAND --NAME FILE...`.

Files are those that Snakemake names, so that they may be local copies of what is stored elsewhere.
The environment variable DPBANDITS_CONFIG has, as JSON, the keys of config/config.yaml that the run
changed.
"""

import os
import sys

from dpbandits.reproduction import processor

processor.pin()  # before anything loads NumPy

from dpbandits.core.errors import InputError


def simulate(job: list[str], out: list[str]) -> None:
    """Simulate the cells of the job PAPER/EXPERIMENT/PART."""
    from dpbandits.reproduction.files import write_parquet
    from dpbandits.reproduction.pipeline import jobs
    from dpbandits.reproduction.pipeline.plan import planned

    write_parquet(jobs.simulate(planned(*job).jobs[job[0]]), out[0])


def compile(algorithms: list[str], out: list[str]) -> None:
    """Compile algorithms about one paper as the run simulates them."""
    from dpbandits.core.files import write_text
    from dpbandits.reproduction.pipeline.compiled import apart, compile_group

    with apart():
        kinds = compile_group(algorithms)
    write_text(f"{kinds}\n", out[0])


def aggregate(table: list[str], parts: list[str], out: list[str]) -> None:
    """Summarise the simulations of an experiment, PAPER/NAME."""
    from dpbandits.core.files import read_table
    from dpbandits.reproduction.files import write_csv
    from dpbandits.reproduction.pipeline.jobs import table_from
    from dpbandits.reproduction.pipeline.plan import planned

    experiment = planned(*table).experiment(*table[0].split("/"))
    write_csv(table_from(experiment, map(read_table, parts), table[0]), out[0])


def study(table: list[str], out: list[str]) -> None:
    """Compute the table of a study, PAPER/NAME."""
    from dpbandits.reproduction.files import write_csv
    from dpbandits.reproduction.pipeline.plan import planned

    entry, params = planned(*table).study(*table[0].split("/"))
    write_csv(entry.table(params), out[0])


def claims(paper: list[str], tables: list[str], out: list[str]) -> None:
    """Check the claims of a paper; out: verdicts, what was measured, certificates."""
    from dpbandits.reproduction.pipeline.ledger import write_verdicts

    write_verdicts(*paper, tables, *out)


def ledger(
    papers: list[str], verdicts: list[str], theorems: list[str], letters: list[str], out: list[str]
) -> None:
    """Put the verdicts of papers together, with what Coq has checked; write the letters."""
    from dpbandits.reproduction.report.letters import write_ledger

    write_ledger(papers, verdicts, theorems, letters, *out)


def draw(paper: list[str], tables: list[str], figures: list[str], out: list[str]) -> None:
    """Run the notebook of a paper, which draws its figures; out: the notebook executed, a page."""
    from dpbandits.reproduction.pipeline import notebooks

    notebooks.draw(*paper, tables, figures, *out)


def publish(figures: list[str], certificates: list[str], out: list[str]) -> None:
    """Copy what changed into figures/ and certificates/; figures: one file of each."""
    from dpbandits.core.files import write_text
    from dpbandits.reproduction.pipeline.figures import folder_of
    from dpbandits.reproduction.pipeline.plan import planned
    from dpbandits.reproduction.report.publish import publish_run

    write_text(publish_run(planned(), folder_of(figures), certificates), out[0])


def report(figures: list[str], out: list[str]) -> None:
    """Write one HTML page of the whole run; figures: one file of each."""
    from dpbandits.core.files import write_text
    from dpbandits.reproduction.pipeline.figures import folder_of
    from dpbandits.reproduction.pipeline.plan import planned
    from dpbandits.reproduction.report.page import build

    write_text(build(planned(), folder_of(figures)), out[0])


def archive(out: list[str]) -> None:
    """Put the run into one zip file."""
    from pathlib import Path

    from dpbandits.reproduction.pipeline.archive import write
    from dpbandits.reproduction.pipeline.plan import planned, run_config

    write(Path(planned().places.results), run_config(), *out)


COMMANDS = [simulate, compile, aggregate, study, claims, ledger, draw, publish, report, archive]


def options(words: list[str]) -> dict[str, list[str]]:
    """{"tables": ["a.csv", "b.csv"]} of `--tables a.csv b.csv`."""
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            values = found.setdefault(word[2:], [])
        else:
            values.append(word)
    return found


def main(command: str, *words: str) -> int:
    try:
        {function.__name__: function for function in COMMANDS}[command](**options([*words]))
    except InputError as error:  # one line for the log; of all else the traceback
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    print(f"{sum(os.times()[:4]):.2f} CPU s")  # for the log: benchmarks have some of them
    sys.exit(code)
