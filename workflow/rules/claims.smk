# Verdicts: the claims of one paper are checked in one job; the ledger puts the papers together.
for paper in [paper for paper in PLAN.papers if claims_of(paper)]:

    rule:
        name:
            f"check_claims_{paper}"
        input:
            tables=tables_of_claims(paper),
        output:
            **claims_files(paper),
        log:
            results("logs/claims", f"{paper}.log"),
        priority: URGENCY[claims_files(paper)["verdicts"]]
        group:
            f"tables_{paper}"
        conda:
            ENVIRONMENT
        resources:
            **needs("claims", paper),
        params:
            recipe=kept(results("claims", paper, "verdicts.csv")),
            ids=claims_of(paper),
        message:
            f"Check the claims of {paper}"
        script:
            "../scripts/claims.py"


rule ledger:
    input:
        verdicts=[
            results("claims", paper, "verdicts.csv")
            for paper in PLAN.papers
            if claims_of(paper)
        ],
        theorems=[str(THEOREMS)] if THEOREMS.exists() else [],
    output:
        csv=reported(results("figures/claims.csv"), None, "Ledger", "verdicts"),
        markdown=results("figures/claims.md"),
    log:
        results("logs/ledger.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(recipes.other("ledger")),
    message:
        "Put the claims ledger together"
    script:
        "../scripts/ledger.py"
