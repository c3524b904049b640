# Made when they are asked for: the paper and the errata (make paper), and one file of all (make archive).
rule write_paper:
    input:
        [
            results("figures", f"{figure.name}.{suffix}")
            for figure in FIGURES.values()
            if figure.folder == "tables"
            for suffix in ("pdf", "txt")
        ],
        ledger=rules.ledger.output.csv,
    output:
        results("reproduction.pdf"),
        index=results("errata/index.csv"),
    log:
        results("logs/paper.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(recipes.paper(PLAN, [*FIGURES.values()])),
        papers=[*PLAN.papers],
    message:
        "Write the paper and the errata"
    script:
        "../scripts/paper.py"


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
    params:
        recipe=keep(recipes.other("archive", config=config, commit=head())),
        config=config,
    message:
        "Put the run into one file"
    script:
        "../scripts/archive.py"
