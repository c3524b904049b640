"""snakemake -> snakemake --report -> dpbandits.report.page -> one HTML file."""

import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from snakemake.cli import main
from snakemake.report.common import data_uri
from snakemake.report.html_reporter.data import results

from dpbandits.core.files import write_text
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.work import work
from dpbandits.report.inner import mark
from dpbandits.report.page import build

# Snakemake's page would hold 19 MB of results for us to take them out again.
results.get_result_uri = lambda found, _: (
    data_uri(b"", found.filename, mime=found.mime) + mark(str(found.path))
)


def collected(config: Path, page: Path, made: list[str]) -> str:
    """What Snakemake reports; asked in this process, which has loaded its libraries and ours.

    As a part of the run that waits for us: that one has looked after seals and recipes.
    """
    words = ["--mode", "subprocess", "--nolock", "--cores", "1", "--configfile", str(config)]
    words += ["--rerun-triggers", "mtime", "--report", str(page)]
    said = StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            main([*words, "--", *made])
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"snakemake --report failed:\n{said.getvalue()}") from None
    return page.read_text(encoding="utf-8")


with work(snakemake), tempfile.TemporaryDirectory() as folder:
    config = Path(folder, "config.json")
    config.write_text(json.dumps(snakemake.params.config), encoding="utf-8")
    page = collected(config, Path(folder, "inner.html"), [*snakemake.input])
    write_text(build(Plan.load(snakemake.params.config), page), snakemake.output[0])
