"""snakemake -> snakemake --report -> dpbandits.report.page -> one HTML file."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from dpbandits.core.files import write_text
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.work import work
from dpbandits.report.page import build

with work(snakemake), tempfile.TemporaryDirectory() as folder:
    config, inner = Path(folder, "config.json"), Path(folder, "inner.html")
    config.write_text(json.dumps(snakemake.params.config), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--nolock", "--cores", "1"]
    command += ["--configfile", str(config), "--report", str(inner), "--", "publish", "typeset"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"snakemake --report failed:\n{done.stdout}{done.stderr}")
    plan = Plan.load(snakemake.params.config)
    write_text(build(plan, inner.read_text(encoding="utf-8")), snakemake.output[0])
