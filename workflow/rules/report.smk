# The report: Snakemake collects what is flagged, with its captions; our front page goes before it.
report: "../report/workflow.rst"


rule assemble_report:
    input:
        rules.publish.input,
        rules.typeset.output,
        [results("notebooks", f"{notebook}.html") for notebook in NOTEBOOKS],
    output:
        results("report.html"),
    log:
        results("logs/report.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(recipes.report(PLAN, config, [*FIGURES.values()])),
        config=config,
    message:
        "Write the report"
    script:
        "../scripts/report.py"
