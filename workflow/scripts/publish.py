"""snakemake -> dpbandits.pipeline.publish -> figures/, certificates/ and a summary."""

import json
from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.pipeline import certificates
from dpbandits.pipeline.publish import publish
from dpbandits.pipeline.work import work

with work(snakemake):
    summary = Path(snakemake.output[0])
    params = snakemake.params
    said = publish(summary.parent / "figures", params.published, params.papers)
    for path in snakemake.input.certificates:
        refuted = json.loads(Path(path).read_text(encoding="utf-8"))
        said += certificates.publish(refuted, params.certificates)
    write_text(said, summary)
