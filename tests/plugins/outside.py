"""A paper's package, installed into a folder of its own: nothing of the checkout is touched."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scratch import ROOT

EXAMPLE = ROOT / "examples/gaussian-thompson"
SMOKE = ("--cores", "1", "--config", "papers=[ts]", "scale=smoke")


def install(folder: Path) -> dict[str, str]:
    """Install a copy of the example below a folder, by the line of its README word for word (where
    to is said by the environment); the environment that sees it."""
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    copy = shutil.copytree(EXAMPLE, folder / "examples" / EXAMPLE.name, ignore=ignored)
    site = folder / "site"
    line = re.search(r"^pip (install .*)$", (EXAMPLE / "README.md").read_text(), re.MULTILINE)
    said = os.environ | {"PIP_TARGET": str(site), "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
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
