# Verdicts: a job checks the claims of one paper; the ledger joins those of all papers.
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
        "postprocessing"
    conda:
        ENVIRONMENT
    params:
        results=lambda wildcards: PLAN.places.results,  # as a function: snakemake --lint
        code=lambda wildcards: provenance.of_claims(CLAIMS[wildcards.paper]),
    message:
        "Check the claims of {wildcards.paper}"
    shell:
        "python -m dpbandits.reproduction claims {wildcards.paper} {params.results:q} &> {log:q}"


rule ledger:
    input:
        verdicts=expand(results("claims/{paper}/verdicts.csv"), paper=CLAIMS),
        theorems=[str(THEOREMS)] if THEOREMS.exists() else [],
    output:
        results("figures/claims.csv"),
        expand(results("figures/{paper}/letter.md"), paper=[key for key in CLAIMS if key != OWN]),
    log:
        results("logs/ledger.log"),
    conda:
        ENVIRONMENT
    params:
        results=lambda wildcards: PLAN.places.results,  # as a function: snakemake --lint
        code=provenance.digest(
            "dpbandits.reproduction.report.letters", "dpbandits.reproduction.ledger.formal"
        ),
    message:
        "Put the claims ledger together, and write the letters to authors"
    shell:
        "python -m dpbandits.reproduction ledger {params.results:q} {input.verdicts:q} &> {log:q}"
