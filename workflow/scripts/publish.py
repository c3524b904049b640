"""snakemake -> dpbandits.pipeline.publish -> figures/ and a summary."""

from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.pipeline.publish import publish
from dpbandits.pipeline.work import work

with work(snakemake):
    summary = Path(snakemake.output[0])
    said = publish(summary.parent / "figures", snakemake.params.published, snakemake.params.papers)
    write_text(said, summary)
