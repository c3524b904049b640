# Tables: a summary of simulations per experiment, and one rule per study.
rule tables:
    input:
        [table(*key.split("/")) for key in PLAN.tables()],


for paper, name in (key.split("/") for key in PLAN.tables()):
    if name in PLAN.papers[paper].experiments:

        rule:
            name:
                f"aggregate_{paper}_{name}"
            input:
                parts=parts_of(paper, name),
                code=code("dpbandits.pipeline.jobs", "dpbandits.core.files"),
            output:
                table(paper, name),
            log:
                results("logs/aggregate", paper, f"{name}.log"),
            benchmark:
                results("benchmarks/aggregate", paper, f"{name}.tsv")
            priority: 2  # others wait for it
            group:
                f"tables_{paper}"
            conda:
                ENVIRONMENT
            resources:
                **needs("aggregate", f"{paper}/{name}"),
            params:
                labels=list(PLAN.jobs_of(paper, name)[0].cells[0].labels),
            message:
                f"Aggregate {paper}/{name}"
            script:
                "../scripts/aggregate.py"

    else:

        rule:
            name:
                f"study_{paper}_{name}"
            input:
                code=code(study_of(paper, name)[0].module, "dpbandits.pipeline.jobs"),
                lock=LOCK,
            output:
                table(paper, name),
            log:
                results("logs/study", paper, f"{name}.log"),
            benchmark:
                results("benchmarks/study", paper, f"{name}.tsv")
            group:
                "simulations"
            conda:
                ENVIRONMENT
            resources:
                **needs("study", f"{paper}/{name}"),
            params:
                study=study_of(paper, name)[0].name,
                params=study_of(paper, name)[1],
            message:
                f"Compute study {paper}/{name}"
            script:
                "../scripts/study.py"


rule typeset:
    input:
        tables=rules.tables.input,
        code=code("dpbandits.pipeline.typeset", "dpbandits.core.files"),
    output:
        [
            results("tables", f"{key}.{form}")
            for key in PLAN.tables()
            for form in ("md", "tex")
        ],
    log:
        results("logs/typeset.log"),
    benchmark:
        results("benchmarks/typeset.tsv")
    conda:
        ENVIRONMENT
    message:
        "Typeset the tables in Markdown and LaTeX"
    script:
        "../scripts/typeset.py"
