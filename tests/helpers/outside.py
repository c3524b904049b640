"""Packages of papers, installed into a temporary folder, and commands in their environment."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scratch import ROOT

EXAMPLE = ROOT / "examples/gaussian-thompson"
SMALL = ROOT / "examples/local-privacy"
ALIGNMENT = ROOT / "examples/private-preferences"


def install(folder: Path, *examples: Path) -> dict[str, str]:
    """Install copies of examples with the command of their README, into FOLDER/site.

    Returns the environment variables with which Python imports them.
    """
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    site = folder / "site"
    pip = os.environ | {"PIP_TARGET": str(site), "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
    for example in examples:
        copy = shutil.copytree(example, folder / "examples" / example.name, ignore=ignored)
        line = re.search(r"^pip (install .*)$", (example / "README.md").read_text(), re.MULTILINE)
        command = [sys.executable, "-m", "pip", *line[1].split()]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, env=pip)
        shutil.rmtree(copy)  # so that only the installed files can be used
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{site}"}


def python(environment: dict[str, str], *arguments, cwd=ROOT, code: int = 0) -> str:
    """The stdout of a Python process, or its stderr if it must end with an exit code above 0."""
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert process.returncode == code, (process.stdout + process.stderr)[-6000:]
    return process.stdout if code == 0 else process.stderr


def dpbandits(environment: dict[str, str], *arguments, **options) -> str:
    """As `python`, of the command `dpbandits`."""
    return python(environment, "-m", "dpbandits", *arguments, **options)
