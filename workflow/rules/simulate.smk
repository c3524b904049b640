# Algorithms are compiled before they are simulated, those of a file in a job (pipeline/compiled.py).
rule compile:
    output:
        results("compiled/{first}.txt"),
    log:
        results("logs/compile/{first}.log"),
    benchmark:
        results("benchmarks/compile/{first}.tsv")
    wildcard_constraints:
        first=one_of(COMPILED),
    priority: 4
    group:
        "compiling"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * 2 ** (attempt - 1),
    params:
        algorithms=lambda wildcards: COMPILED[wildcards.first],
        code=lambda wildcards: provenance.of_compiling(COMPILED[wildcards.first]),
    message:
        "Compile {params.algorithms}"
    shell:
        "python -m dpbandits.reproduction compile --algorithms {params.algorithms} --out {output:q} &> {log:q}"


# A job simulates some cells (algorithm x setting x epsilon x block of seeds) of one experiment.
rule simulate:
    input:
        lambda wildcards: compiled_for(job(wildcards).algorithms),
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
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
    params:
        cells=lambda wildcards: job(wildcards).spec(),
        code=lambda wildcards: provenance.of_simulation(job(wildcards)),
    message:
        "Simulate {wildcards.paper}/{wildcards.experiment}, part {wildcards.part}"
    shell:
        "python -m dpbandits.reproduction simulate --job {wildcards.paper}/{wildcards.experiment}/{wildcards.part} --out {output:q} &> {log:q}"
