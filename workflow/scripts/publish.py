"""snakemake -> dpbandits.core.publish -> figures/ and a summary."""

from dpbandits.core.files import write_text
from dpbandits.core.publish import publish
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    made, published, redraw = (snakemake.params[k] for k in ("made", "published", "redraw"))
    write_text(publish(made, published, redraw=redraw), snakemake.output[0])
