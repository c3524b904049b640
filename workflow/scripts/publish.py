"""snakemake -> dpbandits.pipeline.publish -> figures/, certificates/ and a summary."""

import json
from pathlib import Path

from dpbandits.core.files import content, write_text
from dpbandits.pipeline import certificates
from dpbandits.pipeline.publish import publish, published_files
from dpbandits.pipeline.work import work

with work(snakemake) as made_of:
    summary = Path(snakemake.output[0])
    params = snakemake.params
    figures = (summary.parent / "figures", params.published, params.papers)
    said, brought = publish(*figures), published_files(*figures)
    for path in snakemake.input.certificates:
        refuted = json.loads(Path(path).read_text(encoding="utf-8"))
        said += certificates.publish(refuted, params.certificates)
        brought += [certificates.file_of(row, params.certificates) for row in refuted]
    write_text(said, summary)
    made_of |= {str(path): content(path) for path in brought}
