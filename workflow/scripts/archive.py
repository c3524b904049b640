"""snakemake -> dpbandits.pipeline.archive -> one zip."""

from pathlib import Path

from dpbandits.pipeline import archive
from dpbandits.pipeline.work import work

with work(snakemake):
    place = Path(snakemake.output[0])
    archive.write(place.parent, snakemake.params.config, place)
