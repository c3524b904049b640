# A job simulates some cells (algorithm x setting x epsilon x block of seeds) of one experiment.
rule simulate:
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
    params:
        cells=lambda wildcards: job(wildcards).spec(),
        code=lambda wildcards: provenance.of_simulation(job(wildcards)),
    message:
        "Simulate {wildcards.paper}/{wildcards.experiment}, part {wildcards.part}"
    shell:
        "python -m dpbandits.reproduction simulate {wildcards.paper}/{wildcards.experiment}/{wildcards.part} {output:q} &> {log:q}"
