# Verdicts: one job checks the claims of one paper; the ledger puts the papers together.
rule claims:
    input:
        tables_of_claims,
    output:
        multiext(
            results("claims/{paper}/"),
            verdicts="verdicts.csv",
            points="points.csv",
            certificates="certificates.json",
        ),
    log:
        results("logs/claims/{paper}.log"),
    benchmark:
        results("benchmarks/claims/{paper}.tsv")
    priority: 3
    group:
        "tables"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=growing(2000),
        runtime=growing(10 * LONGER),
    params:
        results=lambda wildcards: PLAN.places.results,
        code=lambda wildcards: provenance.of_claims(CLAIMS[wildcards.paper]),
    message:
        "Check the claims of {wildcards.paper}"
    shell:
        "python -m dpbandits.pipeline claims {wildcards.paper} {params.results:q} &> {log:q}"


rule ledger:
    input:
        expand(results("claims/{paper}/verdicts.csv"), paper=CLAIMS),
        theorems=[str(THEOREMS)] if THEOREMS.exists() else [],
    output:
        csv=reported(results("figures/claims.csv"), None, "Ledger", "verdicts"),
        markdown=results("figures/claims.md"),
    log:
        results("logs/ledger.log"),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=growing(1000),
        runtime=growing(5 * LONGER),
    params:
        results=lambda wildcards: PLAN.places.results,
        verdicts=expand(results("claims/{paper}/verdicts.csv"), paper=CLAIMS),
        code=provenance.digest("dpbandits.pipeline.ledger", "dpbandits.pipeline.formal"),
    message:
        "Put the claims ledger together"
    shell:
        "python -m dpbandits.pipeline ledger {params.results:q} {params.verdicts:q} &> {log:q}"
