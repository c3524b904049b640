# The last step: compare with the committed figures and copy what changed.
rule publish:
    input:
        [file for name in FIGURES for file in figure_files(name)],
        [results(f"figures/claims.{suffix}") for suffix in ("csv", "md") if CLAIMS],
        certificates=[
            results("claims", paper, "certificates.json")
            for paper in PLAN.papers
            if claims_of(paper)
        ],
    output:
        results("published.txt"),
    log:
        results("logs/publish.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(recipes.other("publish", papers=[*PLAN.papers])),
        published=PLAN.places.figures,
        papers=[*PLAN.papers],
        certificates=PLAN.places.certificates,
    message:
        "Compare with {params.published} and copy what changed"
    script:
        "../scripts/publish.py"
