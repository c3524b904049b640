# One job = one algorithm of one experiment, some of its cells (setting x epsilon x block of seeds).
rule simulate:
    output:
        results("simulations/{paper}/{experiment}/{series}/{part}.parquet"),
    log:
        results("logs/simulate/{paper}/{experiment}/{series}/{part}.log"),
    priority: lambda wildcards: URGENCY[part(job_of(wildcards))]
    group:
        "simulations"
    conda:
        ENVIRONMENT
    resources:
        **needs("simulate"),
    params:
        recipe=lambda wildcards: kept(part(job_of(wildcards))),
        job=lambda wildcards: job_of(wildcards).spec(),
    message:
        "Simulate {wildcards.series} for {wildcards.paper}/{wildcards.experiment}, part {wildcards.part}"
    script:
        "../scripts/simulate.py"
