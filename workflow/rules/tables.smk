# Tables: a summary of the simulations of each experiment, and the result of each study. {table} is
# PAPER/NAME; both rules write to the same folder, and their wildcard_constraints tell them apart.
rule tables:
    input:
        [table(*key.split("/")) for key in PLAN.tables()],


rule aggregate:
    input:
        lambda wildcards: PLAN.parts(*wildcards.table.split("/")),
    output:
        results("tables/{table}.csv"),
    log:
        results("logs/aggregate/{table}.log"),
    benchmark:
        results("benchmarks/aggregate/{table}.tsv")
    wildcard_constraints:
        table=one_of(PLAN.experiments()),
    priority: 3
    group:
        "postprocessing"
    conda:
        ENVIRONMENT
    params:
        series=lambda wildcards: PLAN.series(*wildcards.table.split("/")),
        params=lambda wildcards: PLAN.experiment(*wildcards.table.split("/")).params,
        code=lambda wildcards: provenance.of_table(PLAN, wildcards.table),
    message:
        "Aggregate {wildcards.table}"
    shell:
        "python -m dpbandits.reproduction aggregate --table {wildcards.table} --parts {input:q} --out {output:q} &> {log:q}"


rule study:
    input:
        compiled_for_study,
    output:
        results("tables/{table}.csv"),
    log:
        results("logs/study/{table}.log"),
    benchmark:
        results("benchmarks/study/{table}.tsv")
    wildcard_constraints:
        table=one_of(PLAN.studies()),
    priority: 3
    group:
        "simulations"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * 2 ** (attempt - 1),
    params:
        study=lambda wildcards: PLAN.study(*wildcards.table.split("/"))[1],
        code=lambda wildcards: provenance.of_study(PLAN.study(*wildcards.table.split("/"))[0]),
    message:
        "Compute study {wildcards.table}"
    shell:
        "python -m dpbandits.reproduction study --table {wildcards.table} --out {output:q} &> {log:q}"
