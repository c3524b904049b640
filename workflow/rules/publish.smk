# The last steps: copy changed files to figures/ and certificates/, and write the report.
NOTEBOOK_FILES = [results("notebooks", *n) + end for n in NOTEBOOKS for end in (".ipynb", ".html")]


rule publish:
    input:
        [file for figure in FIGURES for file in figure_files(figure)],
        rules.ledger.output if CLAIMS else [],
        rules.tables.input,  # so that a missing one is made again
        rules.typeset.output,
        expand(rules.claims.output, paper=CLAIMS),
        NOTEBOOK_FILES,
    output:
        summary=results("published.txt"),
        # `update`: the manifest of the run before stays if the job fails, for `dpbandits verify`
        manifest=update(results("manifest.json")),
    log:
        results("logs/publish.log"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(1000),
        runtime=doubled_per_attempt(5 * RUNTIME_FACTOR),
    params:
        papers=[*PLAN.papers],
        code=provenance.digest(
            "dpbandits.reproduction.pipeline.publish", "dpbandits.reproduction.pipeline.manifest"
        ),
    message:
        "Compare with what is published and copy what changed"
    shell:
        "python -m dpbandits.reproduction publish {output.summary:q} &> {log:q}"


# One HTML page of the whole run.
rule assemble_report:
    input:
        rules.publish.input,
    output:
        results("report.html"),
    log:
        results("logs/report.log"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(2000),
        runtime=doubled_per_attempt(10 * RUNTIME_FACTOR),
    params:
        config=config,
        papers=[paper.model_dump_json() for paper in PLAN.papers.values()],
        code=provenance.of_report(FIGURES),
    message:
        "Write the report"
    shell:
        "python -m dpbandits.reproduction report {output:q} &> {log:q}"


# Only on request: the article and the letters (make paper), and the archive (make archive).
rule write_paper:
    input:
        [file for figure in FIGURES for file in figure_files(figure)],
        ledger=results("figures/claims.csv"),
    output:
        article=results("reproduction.pdf"),
        letters=expand(results("letters/{paper}.pdf"), paper=PLAN.papers),
    log:
        results("logs/paper.log"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(2000),
        runtime=doubled_per_attempt(10 * RUNTIME_FACTOR),
    params:
        code=provenance.digest("dpbandits.reproduction.pdf.build", *{f.module for f in FIGURES}),
    message:
        "Write the article and a letter per paper"
    shell:
        "python -m dpbandits.reproduction paper {output.article:q} {input.ledger:q} &> {log:q}"


rule write_archive:
    input:
        rules.publish.output,
        rules.assemble_report.output,
        rules.write_paper.output,
    output:
        results("archive.zip"),
    log:
        results("logs/archive.log"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=doubled_per_attempt(2000),
        runtime=doubled_per_attempt(10 * RUNTIME_FACTOR),
    params:
        commit=provenance.commit(),
        config=config,
        code=provenance.digest("dpbandits.reproduction.pipeline.archive"),
    message:
        "Put the run into one file"
    shell:
        "python -m dpbandits.reproduction archive {output:q} &> {log:q}"
