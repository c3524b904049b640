"""Run Snakemake from commands and the report: for summaries, its own report, or some tables."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError


def snakemake(config: dict[str, Any], *arguments: str, **process: Any) -> str:
    """The output of Snakemake with these keys of the config; process: options of subprocess.run."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "config.json")
        settings.write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--nolock", "--configfile", str(settings)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, **process)
    if done.returncode:
        raise InputError(f"snakemake {arguments[0]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def summary(config: dict[str, Any], kind: str, targets: list[str]) -> list[dict[str, str]]:
    """The rows of `--summary` or `--detailed-summary`, one per file, by column."""
    output = snakemake(config, kind, "--quiet", "--", *targets)
    head, *rows = (line.split("\t") for line in output.splitlines() if "\t" in line)
    return [dict(zip(head, row, strict=True)) for row in rows]
