"""snakemake -> dpbandits.pipeline.jobs.simulate -> parquet."""

from dpbandits.core.files import write_parquet
from dpbandits.pipeline.jobs import simulate
from dpbandits.pipeline.plan import Job
from dpbandits.pipeline.work import work

with work(snakemake):
    write_parquet(simulate(Job.from_spec(snakemake.params.job)), snakemake.output[0])
