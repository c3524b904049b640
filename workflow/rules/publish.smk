# The last steps: copy changed files to figures/ and certificates/, and write the report.
# Names, not `rules.X.output`: of files in a storage, Snakemake gives no names there.
MADE = [results("notebooks", *n) + end for n in NOTEBOOKS for end in (".ipynb", ".html")]
MADE += [file for figure in FIGURES for file in figure_files(figure)]
MADE += [table(*key.split("/")) for key in PLAN.tables()]  # so that a missing one is made again
MADE += [path for name in ("verdicts.csv", "points.csv") for path in of_claims(name)]
MADE += [results("figures/claims.csv"), *letters()] if CLAIMS else []


rule publish:
    input:
        MADE,
        pictures=pictures(),
        certificates=of_claims("certificates.json"),
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
        "python -m dpbandits.reproduction publish --figures {input.pictures:q} --certificates {input.certificates:q} --out {output:q} &> {log:q}"


# One HTML page of the whole run.
rule assemble_report:
    input:
        MADE,
        pictures=pictures(),
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
        "python -m dpbandits.reproduction report --figures {input.pictures:q} --out {output:q} &> {log:q}"


# Only on request (make archive).
rule write_archive:
    input:
        results("published.txt"),
        results("report.html"),
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
        "python -m dpbandits.reproduction archive --out {output:q} &> {log:q}"
