"""snakemake -> dpbandits.core.jobs.simulate -> parquet."""

from dpbandits.core.files import write_parquet
from dpbandits.core.jobs import simulate
from dpbandits.core.plan import Job
from dpbandits.core.timing import logged

with logged(snakemake.log[0]):
    write_parquet(simulate(Job.from_spec(snakemake.params.job)), snakemake.output[0])
