"""Power failures: what a learner has said is on the disk, and what it has drawn.

The system calls of a process are recorded (strace), and the files made again as a power failure
leaves them: what was synced, and of other writes none, all or some. Then they are opened.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
from test_store import assert_consistent

import dpbandits as dp

WORKER = """
import json, os, sys
import dpbandits as dp
from dpbandits.core import database
database.PRAGMAS |= {"wal_autocheckpoint": 25, "synchronous": sys.argv[1]}
out = os.open(os.path.abspath("said"), os.O_WRONLY | os.O_CREAT)
say = lambda *what: os.write(out, json.dumps(what).encode())
one = dp.learner("na-imed", arms=2, epsilon=4.0, delay=2, store=os.path.abspath("bandit.db"))
once = one.algorithm.noise.once
def told(draw):
    value = once(draw)
    say("drawn", value)
    return value
one.algorithm.noise.once = told
for i in range(14):
    arm = one.act(person=i)
    say("act", arm.ticket)
    one.update(i % 3 / 2, arm.ticket)
    say("taken", arm.ticket)
"""
CALL = re.compile(r"(\w+)\((?:\d+<([^>]*)>|[^,]*)(?:, (.*))?\)\s+= (\d+)")
TEXT = re.compile(r'"([^"]*)"')


def plain(text) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def calls(trace, folder):
    """(name, file in this folder or "" for itself, arguments) of each call that changes a file."""
    here = "".join(f"\\x{byte:02x}" for byte in str(folder).encode())
    for line in trace.read_text(encoding="utf-8").splitlines():
        if here not in line or not (match := CALL.search(line)):
            continue
        name, path, rest, _ = match.groups(default="")
        if name in ("openat", "unlink"):
            path = TEXT.search(line)[1] if name == "unlink" or "O_CREAT" in line else ""
        path = plain(path).decode()
        if path.startswith(str(folder)):
            yield name, path.removeprefix(str(folder)).lstrip("/"), rest


class Disk:
    """What is synced of each file, and what was written since."""

    def __init__(self):
        self.synced, self.waiting = defaultdict(bytearray), defaultdict(list)
        self.named, self.made = set(), set()  # files of the folder: synced, and as it is
        self.said = []

    def call(self, name, file, rest):
        if name == "openat":
            self.made.add(file)
        elif file == "said":
            self.said.append(json.loads(plain(TEXT.search(rest)[1])))
        elif name == "pwrite64":
            data, offset = plain(TEXT.search(rest)[1]), int(rest.rsplit(", ", 1)[1])
            self.waiting[file].append((offset, data))
        elif name == "ftruncate":
            self.waiting[file].append((int(rest), None))
        elif name in ("fsync", "fdatasync") and file:
            write(self.synced[file], self.waiting.pop(file, []))
        elif name in ("fsync", "fdatasync"):
            self.named = set(self.made)
        elif name == "unlink":
            self.made.discard(file)

    def after(self, folder, lost):
        """Make the files as they are when the power is back; lost(): whether a write is."""
        for file in self.named:
            content = bytearray(self.synced[file])
            write(content, [change for change in self.waiting.get(file, []) if not lost()])
            (folder / file).write_bytes(content)
            (folder / file).chmod(0o600)


def write(content: bytearray, changes) -> None:
    for offset, data in changes:
        if data is None:
            del content[offset:]
        else:
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data


def wrong(folder, said) -> str:
    """What was said and is not there, if anything."""
    if not said:
        return ""
    one = dp.learner("na-imed", arms=2, epsilon=4.0, delay=2, store=folder / "bandit.db")
    acts = [ticket for what, ticket in said if what == "act"]
    if one.rounds < len(acts):
        return "an action"
    waiting = dict(one.store.sql("SELECT ticket, reward FROM pending"))
    if one.rounds == len(acts) and not set(acts[-3:]) <= set(waiting):
        return "a ticket"
    if any(waiting.get(ticket, 0) is None for what, ticket in said if what == "taken"):
        return "a reward"
    drawn = [json.loads(repr(value)) for (value,) in one.store.sql("SELECT value FROM drawn")]
    if not {value for what, value in said if what == "drawn"} <= {*one.algorithm.sums.flat, *drawn}:
        return "a draw"
    assert_consistent(folder, one)
    return ""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")
@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_a_power_failure_takes_nothing_back_that_was_said_or_drawn(synchronous, tmp_path):
    """With SQLite's usual setting in this mode (NORMAL) it does."""
    home, trace = tmp_path / "home", tmp_path / "trace"
    home.mkdir()
    watched = "openat,pwrite64,write,fdatasync,fsync,ftruncate,unlink"
    strace = ["strace", "-f", "-y", "-xx", "-s", "999999", "-e", f"trace={watched}", "-o", trace]
    run = subprocess.run(
        [*strace, sys.executable, "-c", WORKER, synchronous], cwd=home, check=False
    )
    if run.returncode and not (home / "said").exists():
        pytest.skip("strace may not trace here")
    disk, rng, found, images = Disk(), np.random.default_rng(4), set(), 0
    for number, call in enumerate(calls(trace, home)):
        disk.call(*call)
        if number % 23 and call[1] != "said":
            continue
        for lost in (lambda: True, lambda: False, lambda: rng.random() < 0.5):
            images += 1
            folder = tmp_path / f"image{images}"
            folder.mkdir()
            disk.after(folder, lost)
            found.add(wrong(folder, disk.said))
            shutil.rmtree(folder)
    assert images > 100
    assert len([what for what, _ in disk.said if what == "drawn"]) > 3
    if synchronous == "FULL":
        assert found == {""}
    else:
        assert {"an action", "a reward", "a draw"} & found
