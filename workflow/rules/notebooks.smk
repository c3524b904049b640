# One rule per notebook: papermill runs it with the files of the run as a parameter, and it writes
# those of figures. The notebook counts in the digest `code` and is no input, so that
# its path does not matter, which is elsewhere for an installed package.
for notebook in NOTEBOOKS:

    rule:
        name:
            f"draw_{'_'.join(notebook)}"
        input:
            tables_of(notebook),
        output:
            figures=[file for f in figures_of(notebook) for file in figure_files(f)],
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
            paper=notebook[0],
            code=provenance.of_figures(PLAN, figures_of(notebook)),
        message:
            f"Draw the figures of notebooks/{'/'.join(notebook)}.ipynb"
        shell:
            "python -m dpbandits.reproduction draw --paper {params.paper} --tables {input:q} --figures {output.figures:q} --out {output.executed:q} {output.page:q} &> {log:q}"
