"""snakemake -> dpbandits.pipeline.jobs.simulate -> parquet."""

from dpbandits.core.files import write_parquet
from dpbandits.pipeline.jobs import simulate
from dpbandits.pipeline.plan import Job
from dpbandits.pipeline.timing import logged

with logged(snakemake.log[0]):
    write_parquet(simulate(Job.from_spec(snakemake.params.job)), snakemake.output[0])
