"""snakemake -> dpbandits.core.publish -> figures/ and a summary."""

from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.core.publish import publish
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    summary = Path(snakemake.output[0])
    params = snakemake.params
    made = summary.parent / "figures"
    write_text(publish(made, params.published, redraw=params.redraw), summary)
