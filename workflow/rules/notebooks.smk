# One rule per notebook: papermill runs it with the folders of tables and figures as parameters, and
# it writes the files of figures. The notebook counts in the digest `code` and is no input, so that
# its path does not matter, which is elsewhere for an installed package.
for notebook in NOTEBOOKS:

    rule:
        name:
            f"draw_{'_'.join(notebook)}"
        input:
            tables_of(notebook),
        output:
            [file for f in figures_of(notebook) for file in figure_files(f)],
            executed=results("notebooks", *notebook) + ".ipynb",
            page=results("notebooks", *notebook) + ".html",
        log:
            results("logs/draw", *notebook) + ".log",
        benchmark:
            results("benchmarks/draw", *notebook) + ".tsv"
        priority: 3
        group:
            "postprocessing"
        conda:
            ENVIRONMENT
        params:
            results=lambda wildcards: PLAN.places.results,  # as a function: snakemake --lint
            code=provenance.of_figures(PLAN, figures_of(notebook)),
        message:
            f"Draw the figures of notebooks/{'/'.join(notebook)}.ipynb"
        shell:
            "python -m dpbandits.reproduction draw {params.results:q} {output.executed:q} &> {log:q}"
