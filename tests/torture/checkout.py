"""A copy of this checkout to break: its runs, its files, its two branches."""

import hashlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from scratch import Project

KEPT = ("simulations", "tables", "claims", "figures", "published", "certificates")  # not logs
ROOM = "600m"


@dataclass
class Done:
    code: int
    output: str
    seconds: float


class Checkout(Project):
    """On a small file system of its own if we may mount one; on branch `here`, beside `there`."""

    def __init__(self, folder: Path, papers: str) -> None:
        self.mounted = "TORTURE_MOUNTS" in os.environ
        if self.mounted:
            options = ["-o", f"size={ROOM}"]
            subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", folder], check=True)
        super().__init__(folder, own_source=True)
        self.papers, self.results = papers, folder / "results/smoke"
        files = self.folder / "src/dpbandits/core/files.py"
        here = files.read_text()
        (folder / ".gitignore").write_text("results\n.snakemake\n__pycache__\n*.log\n.running\n")
        self.git("init", "--quiet", "--initial-branch", "here")
        self._commit("here")
        self.git("checkout", "--quiet", "-b", "there")
        assert '"%.6g"' in here
        files.write_text(here.replace('"%.6g"', '"%.4g"'))  # every table is another one there
        self._commit("there")
        self.git("checkout", "--quiet", "here")

    def _commit(self, message: str) -> None:
        self.git("add", "--all")
        who = ("-c", "user.name=torture", "-c", "user.email=torture@localhost")
        self.git(*who, "commit", "--quiet", "--message", message)

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.folder, check=True)

    def start(self, **options) -> subprocess.Popen:
        """A run as `make smoke` starts it, in a process group of its own."""
        snakemake = self.command("--quiet", "reason", "--nolock", "--cores", "2")
        snakemake += ["--config", "scale=smoke", f"papers=[{self.papers}]", "--", "publish"]
        lock = ["flock", "--nonblock", "--close", "--conflict-exit-code", "9", ".running"]
        log = (self.folder.parent / f"{self.folder.name}.log").open("w")
        run = subprocess.Popen(
            [*lock, *snakemake],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **options,
        )
        run.log = Path(log.name)
        return run

    def run(self) -> Done:
        begin = time.monotonic()
        run = self.start()
        code = run.wait()
        return Done(code, run.log.read_text(), time.monotonic() - begin)

    def outputs(self) -> list[Path]:
        """What jobs made and sealed."""
        return sorted(
            path.with_name(path.name[1:].removesuffix(".seal"))
            for path in self.results.rglob(".*.seal")
        )

    def contents(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.results)): hashlib.sha256(path.read_bytes()).hexdigest()
            for kind in KEPT
            for path in sorted((self.results / kind).rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }


def main_process(run: subprocess.Popen) -> psutil.Process:
    """Snakemake, the child of `flock`."""
    return psutil.Process(run.pid).children()[0]


def jobs(run: subprocess.Popen) -> list[psutil.Process]:
    """The processes of its jobs: interpreters, shells, kernels of notebooks."""
    found = main_process(run).children(recursive=True)
    return [p for p in found if p.exe() == os.path.realpath(sys.executable)]
