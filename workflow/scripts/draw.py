"""snakemake -> papermill: run one notebook with its parameters, export it as HTML."""

import sys
from pathlib import Path

from dpbandits.core.files import atomic
from dpbandits.pipeline.notebooks import export, printed, run
from dpbandits.pipeline.work import work

sys.modules.setdefault("rfc3987_syntax", None)  # as in common.smk: 1.4 s of no use here

with work(snakemake):
    own = Path(snakemake.output.executed).parent  # RESULTS/notebooks/PAPER
    folders = {
        "tables": str(Path(snakemake.input.tables[0]).parent),
        "figures": str(own.parents[1] / "figures" / own.name),
    }
    with atomic(snakemake.output.executed) as executed:
        run(snakemake.params.notebook, str(executed), folders)
    export(snakemake.output.executed, snakemake.output.page)
    missing = {Path(path).stem for path in snakemake.output if not Path(path).is_file()}
    if missing:
        why = printed(snakemake.output.executed, "could not be drawn")
        raise RuntimeError(f"not drawn: {', '.join(sorted(missing))}\n{why}")
