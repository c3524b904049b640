# The last steps: copy changed files to figures/ and certificates/, and write the report.
NOTEBOOK_FILES = [results("notebooks", *n) + end for n in NOTEBOOKS for end in (".ipynb", ".html")]


rule publish:
    input:
        [file for figure in FIGURES for file in figure_files(figure)],
        rules.ledger.output if CLAIMS else [],
        rules.tables.input,  # so that a missing one is made again
        expand(rules.claims.output, paper=CLAIMS),
        NOTEBOOK_FILES,
    output:
        results("published.txt"),
    log:
        results("logs/publish.log"),
    conda:
        ENVIRONMENT
    params:
        papers=[*PLAN.papers],
        code=provenance.digest("dpbandits.reproduction.report.publish"),
    message:
        "Compare with what is published and copy what changed"
    shell:
        "python -m dpbandits.reproduction publish {output:q} &> {log:q}"


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
    params:
        config=config,
        code=provenance.digest("dpbandits.reproduction.report.page"),
    message:
        "Write the report"
    shell:
        "python -m dpbandits.reproduction report {output:q} &> {log:q}"


# Only on request (make archive).
rule write_archive:
    input:
        rules.publish.output,
        rules.assemble_report.output,
    output:
        results("archive.zip"),
    log:
        results("logs/archive.log"),
    conda:
        ENVIRONMENT
    params:
        commit=provenance.commit(),
        config=config,
        code=provenance.digest("dpbandits.reproduction.pipeline.archive"),
    message:
        "Put the run into one file"
    shell:
        "python -m dpbandits.reproduction archive {output:q} &> {log:q}"
