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
        code=lambda wildcards: provenance.of_claims(CLAIMS[wildcards.paper]),
    message:
        "Check the claims of {wildcards.paper}"
    shell:
        "python -m dpbandits.reproduction claims --paper {wildcards.paper} --tables {input:q} --out {output:q} &> {log:q}"


rule ledger:
    input:
        verdicts=of_claims("verdicts.csv"),
        theorems=[str(THEOREMS)] if THEOREMS.exists() else [],
    output:
        table=results("figures/claims.csv"),
        letters=letters(),
    log:
        results("logs/ledger.log"),
    conda:
        ENVIRONMENT
    params:
        papers=LETTERS,
        code=provenance.digest("dpbandits.reproduction.report.letters"),
    message:
        "Put the claims ledger together, and write the letters to authors"
    shell:
        "python -m dpbandits.reproduction ledger --papers {params.papers} --verdicts {input.verdicts:q} --theorems {input.theorems:q} --letters {output.letters:q} --out {output.table:q} &> {log:q}"
