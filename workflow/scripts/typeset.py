"""snakemake -> dpbandits.pipeline.typeset -> Markdown and LaTeX beside the tables."""

from pathlib import Path

from dpbandits.core.files import read_table, write_text
from dpbandits.pipeline.typeset import as_latex, as_markdown, readable
from dpbandits.pipeline.work import work

with work(snakemake):
    for name in snakemake.input.tables:
        table, note = readable(read_table(name))
        write_text(as_markdown(table, note), Path(name).with_suffix(".md"))
        write_text(as_latex(table, note), Path(name).with_suffix(".tex"))
