# The paper and the errata: made of the ledger and the figures when they are asked for (make paper).
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
        recipe=keep(recipes.other("paper", papers=[*PLAN.papers])),
        papers=[*PLAN.papers],
    message:
        "Write the paper and the errata"
    script:
        "../scripts/paper.py"
