# One rule per notebook: papermill runs it with the tables' folder, it leaves its figures.
for notebook in NOTEBOOKS:

    rule:
        name:
            f"draw_{as_name(notebook)}"
        input:
            tables=tables_of(notebook),
        output:
            [file for f in figures_of(notebook) for file in reported_figure(f)],
            executed=results("notebooks", f"{notebook}.ipynb"),
            page=reported(
                results("notebooks", f"{notebook}.html"),
                notebook.split("/")[0],
                f"Notebook: {notebook.split('/')[1]}",
                "notebook",
            ),
        log:
            results("logs/draw", f"{notebook}.log"),
        priority: URGENCY[results("notebooks", f"{notebook}.ipynb")]
        group:
            f"tables_{notebook.split(os.sep)[0]}"
        conda:
            ENVIRONMENT
        resources:
            **needs("draw", notebook),
        params:
            recipe=kept(results("notebooks", f"{notebook}.ipynb")),
            notebook=notebook_file(notebook),
        message:
            f"Draw the figures of notebooks/{notebook}.ipynb"
        script:
            "../scripts/draw.py"
