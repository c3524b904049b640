"""What can happen to a run. Each: what it was, in words; None if it did not hit the run.

A run was hit if it shows: killed by the signal, failed on the full disk, turned away. A run that
had ended before, or had nothing left to write, was not.
"""

import contextlib
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import psutil
from checkout import Checkout, jobs, main_process

DAY = 86_400


def struck(run: subprocess.Popen, rng: random.Random, patience: float) -> bool:
    """Wait for a random moment of the run; whether it is still under way."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(rng.uniform(0, patience))
    return run.poll() is None


def killed_group(checkout: Checkout, rng, patience):
    """kill -9 of the whole process group: like a power cut."""
    run = checkout.start()
    struck(run, rng, patience)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    return "killed" if run.wait() == -signal.SIGKILL else None


def killed_main(checkout: Checkout, rng, patience):
    """kill -9 of Snakemake alone: its jobs run on, beside the next run."""
    run = checkout.start()
    left = 0
    if struck(run, rng, patience):
        with contextlib.suppress(psutil.Error, IndexError):
            left = len(jobs(run))
            main_process(run).kill()
    killed = run.wait() == 128 + signal.SIGKILL  # as `flock` says it of its child
    return f"killed, {left} processes of jobs ran on" if killed else None


def killed_job(checkout: Checkout, rng, patience):
    """kill -9 of one job: as the kernel does when memory runs out."""
    run = checkout.start()
    if struck(run, rng, patience):
        with contextlib.suppress(psutil.Error, IndexError):
            end = time.monotonic() + patience
            while not jobs(run) and time.monotonic() < end:
                time.sleep(0.1)
            rng.choice(jobs(run)).kill()
    return _failed(run, "killed")


def _failed(run: subprocess.Popen, said: str) -> str | None:
    """A job of the run has failed; that of a notebook may have ended well when tried again."""
    code = run.wait()
    failed = code or "Trying to restart job" in run.log.read_text()
    return f"{said}, exit code {code}" if failed else None


def full_disk(checkout: Checkout, rng, patience):
    """A full disk: no byte is left on the file system of the checkout."""
    if not checkout.mounted:  # not root: no file may grow beyond a few kilobytes
        limit = rng.randint(1, 20) * 1024
        run = checkout.start(
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        )
        return _failed(run, f"files of {limit} bytes at most")
    run = checkout.start()
    struck(run, rng, patience)
    ballast = checkout.folder / "ballast.log"
    with contextlib.suppress(OSError), ballast.open("wb") as file:
        while True:
            file.write(bytes(1 << 20))
            file.flush()
    said = _failed(run, "filled")
    ballast.unlink()
    return said


def read_only(checkout: Checkout, rng, patience):
    """A folder turned read-only: results/."""
    results = checkout.results
    run = checkout.start()
    struck(run, rng, patience)
    if checkout.mounted:
        subprocess.run(["mount", "--bind", results, results], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", results], check=True)
        said = _failed(run, "read-only")
        subprocess.run(["umount", "--lazy", results], check=True)
    else:
        folders = [results, *(path for path in results.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        said = _failed(run, "read-only")
        for folder in folders:
            folder.chmod(0o755)
    return said


def _damage(path: Path, rng: random.Random) -> str:
    """Truncate it or flip a bit, and keep its time."""
    before, data = path.stat(), bytearray(path.read_bytes())
    place = rng.randrange(len(data))
    if rng.random() < 0.5:
        del data[place:]
        said = f"truncated to {place} bytes"
    else:
        data[place] ^= 1 << rng.randrange(8)
        said = f"a bit of byte {place} flipped"
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return said


def _victim(checkout: Checkout, rng: random.Random) -> Path:
    found = [path for path in checkout.outputs() if path.is_file() and path.stat().st_size]
    return rng.choice(found)


def _says(output: str, path: Path, why: str) -> bool:
    return any(path.name in line and why in line for line in output.splitlines())


def damaged_before(checkout: Checkout, rng, patience):
    """A damaged file before a run: the run has to say so."""
    path = _victim(checkout, rng)
    said = f"{path.relative_to(checkout.results)}: {_damage(path, rng)}"
    output = checkout.run().output
    assert _says(output, path, "not what its job wrote; it is made again"), output
    return said


def damaged_during(checkout: Checkout, rng, patience):
    """A damaged file while a run is under way: whoever reads it refuses, or the next run does."""
    run = checkout.start()
    if not struck(run, rng, patience):
        return None
    path = _victim(checkout, rng)
    said = f"{path.relative_to(checkout.results)}: {_damage(path, rng)}"
    hurt = path.read_bytes()
    code, output = run.wait(), run.log.read_text()
    by = "its reader" if _says(output, path, "was damaged after it was made") else "the next run"
    if _says(output, path, "not what its job wrote"):  # the run had not looked at it yet
        return f"{said}, noticed when the run began, exit code {code}"
    if not path.is_file() or path.read_bytes() != hurt:
        return None  # its own job has made it since, as it would have without us
    output = checkout.run().output
    assert _says(output, path, "not what its job wrote; it is made again"), output
    return f"{said}, noticed by {by}, exit code {code}"


def second_run(checkout: Checkout, rng, patience):
    """A second run at the same time: it is turned away, the first one ends well."""
    run = checkout.start()
    if not struck(run, rng, patience):
        return None
    second = checkout.run().code
    first = run.wait()
    assert (second, first) in ((9, 0), (0, 0)), (second, first)  # (0, 0): the first had ended
    return f"exit code {second}, the first one's {first}" if second else None


def clock_set_back(checkout: Checkout, rng, patience):
    """A clock set back or forth: some files are days or years older or newer than they are."""
    files = [*checkout.outputs(), *checkout.folder.glob("src/**/*.py")]
    files += [*checkout.folder.glob("config/*"), *checkout.folder.glob("notebooks/*/*.ipynb")]
    chosen = rng.sample([path for path in files if path.is_file()], k=len(files) // 4)
    for path in chosen:
        then = time.time() + rng.choice([-3650, -2, -0.1, 0.1, 2, 400]) * DAY
        os.utime(path, (then, then))
    return f"{len(chosen)} files, exit code {checkout.run().code}"


def branches(checkout: Checkout, rng, patience):
    """Another branch while a run is under way: there and back, with a run killed there."""
    run = checkout.start()
    alive = struck(run, rng, patience)
    checkout.git("checkout", "--quiet", "there")
    code = run.wait()
    if rng.random() < 0.5:
        killed_group(checkout, rng, patience)
    else:
        checkout.run()
    checkout.git("checkout", "--quiet", "here")
    return f"exit code {code}" if alive else None


ALL = (
    killed_group,
    killed_main,
    killed_job,
    full_disk,
    read_only,
    damaged_before,
    damaged_during,
    second_run,
    clock_set_back,
    branches,
)
