"""A paper's package, installed into a folder of its own: nothing of the checkout is touched."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scratch import ROOT

EXAMPLE = ROOT / "examples/gaussian-thompson"
SMALL = ROOT / "examples/local-privacy"
SMOKE = ("--cores", "1", "--config", "papers=[ts]", "scale=smoke")


def install(folder: Path, *examples: Path) -> dict[str, str]:
    """Install copies of examples below a folder, by the lines of their READMEs word for word (where
    to is said by the environment); the environment that sees them."""
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    site = folder / "site"
    said = os.environ | {"PIP_TARGET": str(site), "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
    for example in examples:
        copy = shutil.copytree(example, folder / "examples" / example.name, ignore=ignored)
        line = re.search(r"^pip (install .*)$", (example / "README.md").read_text(), re.MULTILINE)
        command = [sys.executable, "-m", "pip", *line[1].split()]
        subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=folder, env=said)
        shutil.rmtree(copy)  # what is seen is what was installed
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{site}"}


def python(environment: dict[str, str], *arguments, cwd=ROOT, code: int = 0) -> str:
    """What a Python process prints, with that environment; it must end with that code."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == code, (done.stdout + done.stderr)[-6000:]
    return done.stdout if code == 0 else done.stderr
