# One rule per notebook: papermill executes it with its folders, and it leaves its figures. The
# notebook is part of `code`, by its text: where an outside package is installed changes nothing.
for notebook in NOTEBOOKS:

    rule:
        name:
            f"draw_{'_'.join(notebook)}"
        input:
            tables_of(notebook),
        output:
            [file for f in figures_of(notebook) for file in figure_files(f)],
            executed=results("notebooks", *notebook) + ".ipynb",
            page=reported(
                results("notebooks", *notebook) + ".html",
                notebook[0],
                f"Notebook: {notebook[1]}",
                "notebook",
            ),
        log:
            results("logs/draw", *notebook) + ".log",
        benchmark:
            results("benchmarks/draw", *notebook) + ".tsv"
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
            code=provenance.of_figures(PLAN, figures_of(notebook)),
        message:
            f"Draw the figures of notebooks/{'/'.join(notebook)}.ipynb"
        shell:
            "python -m dpbandits.pipeline draw {params.results:q} {output.executed:q} &> {log:q}"
