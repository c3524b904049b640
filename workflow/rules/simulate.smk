# Compiled once per paper: jobs that start together would each compile the same functions.
rule compile:
    output:
        touch(results("compiled/{paper}.done")),
    log:
        results("logs/compile/{paper}.log"),
    benchmark:
        results("benchmarks/compile/{paper}.tsv")
    priority: 4
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(1500),
        runtime=doubled_per_attempt(10 * RUNTIME_FACTOR),
    params:
        code=lambda wildcards: provenance.of_simulations(
            *(job for job in PLAN.jobs.values() if job.paper == wildcards.paper)
        ),
    message:
        "Compile the engines of {wildcards.paper}"
    shell:
        "python -m dpbandits.pipeline compile {wildcards.paper} &> {log:q}"


# One job = some cells (algorithm x setting x epsilon x block of seeds) of one experiment.
rule simulate:
    input:
        ancient(results("compiled/{paper}.done")),  # its time does not matter
    output:
        results("simulations/{paper}/{experiment}/{part}.parquet"),
    log:
        results("logs/simulate/{paper}/{experiment}/{part}.log"),
    benchmark:
        results("benchmarks/simulate/{paper}/{experiment}/{part}.tsv")
    priority: 2
    group:
        "simulations"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(1000),
        runtime=doubled_per_attempt(10 * RUNTIME_FACTOR),
    params:
        cells=lambda wildcards: job(wildcards).spec(),
        code=lambda wildcards: provenance.of_simulations(job(wildcards)),
    message:
        "Simulate {wildcards.paper}/{wildcards.experiment}, part {wildcards.part}"
    shell:
        "python -m dpbandits.pipeline simulate {wildcards.paper}/{wildcards.experiment}/{wildcards.part} {output:q} &> {log:q}"
