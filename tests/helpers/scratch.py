"""A scratch copy of this project, in which the pipeline can run for real."""

import copy
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Project:
    """A copy of the checkout in a temporary folder; `src` is shared unless it is to be edited."""

    def __init__(self, folder: Path, *, own_source: bool = False) -> None:
        self.folder = folder
        self.environment = dict(os.environ)
        self.environment.pop("NUMBA_CACHE_DIR", None)  # its own sources have their own cache
        self.interpreter = sys.executable
        (folder / "profiles").symlink_to("workflow/profiles")
        for name in ("Snakefile", "workflow", "config", "envs", "notebooks"):
            source = ROOT / name
            copied = shutil.copytree if source.is_dir() else shutil.copy
            copied(source, folder / name)
        if own_source:
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
        else:
            (folder / "src").symlink_to(ROOT / "src")

    def copied(self, folder: Path) -> "Project":
        """Another one, of its own sources, in which all that was made here stands made."""
        other = copy.copy(self)
        other.folder = shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True)
        return other

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=3600,  # a slow machine fails no test
        )

    def dpbandits(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [str(self.interpreter), "-m", "dpbandits", *arguments]
        environment = self.environment | {"PYTHONPATH": str(self.folder / "src")}
        said = {"capture_output": True, "text": True}
        return subprocess.run(command, cwd=self.folder, env=environment, **said)

    def command(self, *arguments: str) -> list[str]:
        return [str(self.interpreter), "-m", "snakemake", *arguments]

    def run(self, *arguments: str) -> str:
        """Run snakemake, which must succeed; its whole output."""
        done = self.snakemake(*arguments)
        output = done.stdout + done.stderr
        assert done.returncode == 0, f"exit {done.returncode}: {output[-6000:]}"
        return output

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def files(self, pattern: str) -> dict[str, bytes]:
        found = sorted(self.folder.glob(pattern))
        return {p.relative_to(self.folder).as_posix(): p.read_bytes() for p in found}


MINI = """
experiments:
  tiny:
    about: a small experiment of the tests
    algorithms: [anytime-lazy-ucb, na-imed]
    settings:
      two: {means: [0.7, 0.5]}
      three: {means: [0.5, 0.5, 0.4]}
    epsilon: [0.5, 2]
    horizon: 3000
    seeds: 9
    checkpoints: 7
    metrics: [regret, pulls]
    sources:
      settings: "assumed: a test"
      epsilon: "assumed: a test"
      horizon: "assumed: a test"
      seeds: "assumed: a test"
      checkpoints: "assumed: a test"
"""


def mini_project(folder: Path, *, own_source: bool = False, run: str = "") -> Project:
    """A project with one small experiment; its targets are the tables."""
    project = Project(folder, own_source=own_source)
    project.write("config/hu.yaml", MINI)
    text = (ROOT / "config/config.yaml").read_text()
    given = ("papers:", f"{run.partition(':')[0]}:")
    lines = [line for line in text.splitlines() if not line.startswith(given)]
    project.write("config/config.yaml", "\n".join([*lines, "papers: [hu]", run]))
    return project


def notebook(contents) -> str:
    cells = []
    for number, (kind, source, tags) in enumerate(contents):
        cell = {"cell_type": kind, "id": f"c{number}", "metadata": {"tags": tags}, "source": source}
        code = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cells.append(cell | code)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
