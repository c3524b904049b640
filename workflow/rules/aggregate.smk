# Tables: a summary of simulations per experiment, and one rule per study.
rule tables:
    input:
        [table(*key.split("/")) for key in PLAN.tables()],


for paper, name in (key.split("/") for key in PLAN.tables()):
    if PLAN.parts(paper, name):

        rule:
            name:
                f"aggregate_{paper}_{name}"
            input:
                parts=PLAN.parts(paper, name),
            output:
                table(paper, name),
            log:
                results("logs/aggregate", paper, f"{name}.log"),
            priority: URGENCY[table(paper, name)]
            group:
                f"tables_{paper}"
            conda:
                ENVIRONMENT
            resources:
                **needs("aggregate", f"{paper}/{name}"),
            params:
                recipe=kept(table(paper, name)),
                labels=recipes.labels(PLAN, paper, name),
            message:
                f"Aggregate {paper}/{name}"
            script:
                "../scripts/aggregate.py"

    else:

        rule:
            name:
                f"study_{paper}_{name}"
            output:
                table(paper, name),
            log:
                results("logs/study", paper, f"{name}.log"),
            priority: URGENCY[table(paper, name)]
            group:
                "simulations"
            conda:
                ENVIRONMENT
            resources:
                **needs("study", f"{paper}/{name}"),
            params:
                recipe=kept(table(paper, name)),
                study=PLAN.study(paper, name)[0].name,
                params=PLAN.study(paper, name)[1],
            message:
                f"Compute study {paper}/{name}"
            script:
                "../scripts/study.py"


# One job = the rows of one value of the parameter that splits a study.
rule study_part:
    output:
        results("studies/{paper}/{experiment}/{part}.parquet"),
    log:
        results("logs/study/{paper}/{experiment}/{part}.log"),
    priority: lambda wildcards: URGENCY[study_part(wildcards)]
    group:
        "simulations"
    conda:
        ENVIRONMENT
    resources:
        **needs("study", "{paper}/{experiment}/{part}"),
    params:
        recipe=lambda wildcards: kept(study_part(wildcards)),
        study=lambda wildcards: PLAN.study(wildcards.paper, wildcards.experiment)[
            0
        ].name,
        params=lambda wildcards: PLAN.study_parts(
            wildcards.paper, wildcards.experiment
        )[Path(study_part(wildcards))],
    message:
        "Compute study {wildcards.paper}/{wildcards.experiment}, part {wildcards.part}"
    script:
        "../scripts/study.py"


rule typeset:
    input:
        tables=rules.tables.input,
    output:
        [
            results("tables", f"{key}.{form}")
            for key in PLAN.tables()
            for form in ("md", "tex")
        ],
    log:
        results("logs/typeset.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(recipes.other("typeset")),
    message:
        "Typeset the tables in Markdown and LaTeX"
    script:
        "../scripts/typeset.py"
