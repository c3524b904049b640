# The last step: compare with the committed figures and copy what changed.
rule publish:
    input:
        [file for name in FIGURES for file in figure_files(name)],
        [results(f"figures/claims.{suffix}") for suffix in ("csv", "md") if CLAIMS],
    output:
        results("published.txt"),
    log:
        results("logs/publish.log"),
    conda:
        ENVIRONMENT
    params:
        recipe=keep(
            recipes.other(
                "publish", "dpbandits.pipeline.publish", papers=[*PLAN.papers]
            )
        ),
        published=PLAN.places.figures,
        papers=[*PLAN.papers],
    message:
        "Compare with {params.published} and copy what changed"
    script:
        "../scripts/publish.py"
