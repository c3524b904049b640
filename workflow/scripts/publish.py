"""snakemake -> dpbandits.pipeline.publish -> figures/ and a summary."""

from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.pipeline.publish import publish
from dpbandits.pipeline.timing import logged

with logged(snakemake.log[0]):
    summary = Path(snakemake.output[0])
    params = snakemake.params
    made = summary.parent / "figures"
    write_text(publish(made, params.published, redraw=params.redraw), summary)
