# Verdicts: the claims of one paper are checked in one job; the ledger puts the papers together.
for paper in [paper for paper in PLAN.papers if claims_of(paper)]:

    rule:
        name:
            f"check_claims_{paper}"
        input:
            tables=sorted(
                {table(paper, t) for id in claims_of(paper) for t in CLAIMS[id].reads}
            ),
        output:
            verdicts=results("claims", paper, "verdicts.csv"),
            points=results("claims", paper, "points.csv"),
            certificates=results("claims", paper, "certificates.json"),
        log:
            results("logs/claims", f"{paper}.log"),
        priority: 1  # the theorem plots wait for it
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
