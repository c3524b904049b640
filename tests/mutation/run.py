"""Mutation runs: how many single mistakes in src/ do the tests notice?

    python tests/mutation/run.py --count 100 --seed 1 [--folder audit] [--kind verdict]
    python tests/mutation/run.py --again results/mutants.jsonl [--survivors] --output after.jsonl
    python tests/mutation/run.py --count 300 --share 1/2 --output one.jsonl    (2/2 in another
        checkout; a third run whose output holds the lines of both prints the table of all)

Everything happens in a scratch copy of the checkout, one mutant after another. The tests that call
the mutated function come first, where calls.py has found out which do, and the golden rows of the
claims in its file; then tests whose file imports the mutated one (the nearer the import the
earlier), then those of the folder that mirrors it, the quick ones before the long ones, until a
budget of CPU seconds is used up; what they did not notice counts as survived, whatever the others
would have said. `--rest` asks the others too. No wall time decides: a test that takes far more CPU
time than before has noticed. A test that kills a mutant must fail with it when it runs alone, and
pass without it.

The outcomes are added to the output as they come; a run that was stopped goes on where it was.
"""

import argparse
import compileall
import json
import os
import py_compile
import subprocess
import tempfile
import tomllib
import zlib
from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path

import calls
import forks
from imports import Imports, is_for, is_for_others, named_in
from mutants import KINDS, Mutant, all_mutants, drawn

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
NAME = ("file", "function", "text", "before", "after")
NEW = 1  # CPU seconds of a test file that was never timed: early, the budget counts what it takes


def scratch_copy(root: Path) -> Path:
    """A folder with all files of the checkout, brought up to date; other files are removed."""
    scratch = Path(tempfile.gettempdir()) / f"mutants-{zlib.crc32(str(root).encode()):08x}"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    wanted = {name for name in listed.split("\0") if name and (root / name).is_file()}
    tree = scratch / "tree"
    for path in [p for p in tree.rglob("*") if p.is_file()]:
        if path.relative_to(tree).as_posix() not in wanted and "__pycache__" not in path.parts:
            path.unlink()
    for name in sorted(wanted):
        content, copy = (root / name).read_bytes(), tree / name
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    checked = py_compile.PycInvalidationMode.CHECKED_HASH  # sources may change within a second
    for part in ("src", "tests"):
        compileall.compile_dir(tree / part, quiet=2, invalidation_mode=checked)
    return scratch


class Judge:
    def __init__(self, scratch: Path, budget: float, rest: bool = False):
        self.scratch, self.tree = scratch, scratch / "tree"
        self.budget = float("inf") if rest else budget
        self.imports = Imports(self.tree)
        self.times = scratch / "seconds.json"  # of each test when it last passed
        self.seconds, self.callers = calls.read()
        self.seconds |= json.loads(self.times.read_text()) if self.times.is_file() else {}
        self.sound: dict[str, bool] = {}  # whether a test that killed passes without the mutant

    def verdict(self, mutant: Mutant) -> tuple[str, str]:
        """("killed" | "survived", by what)."""
        path = self.tree / mutant.file
        before, stamp = path.read_bytes(), path.stat()
        callers = self.callers.get(f"{mutant.file}:{mutant.function}", set())
        tests, cached = self.tests_for(mutant.file, callers), self._cached()
        if not tests:
            return "survived", "no test reaches it"
        compiling = b"@jit" in before or b"numba" in before
        named = named_in(mutant.file, before.decode())
        nearer = (
            lambda test: test in callers or any(name in test for name in named),
            partial(is_for, mutant.file),
        )

        def asked(tests):
            path.write_bytes(mutant.applied(before))
            try:
                return self._run(tests, self.budget, compiling, nearer)
            finally:
                path.write_bytes(before)
                os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
                self._forget(cached, mutant)

        while tests:
            outcome, test, spent, took = asked(tests)
            if outcome in ("passed", "undecided"):
                self._remember(took)
                return "survived", f"{len(took)} tests, {spent:.0f} s ({outcome})"
            alone = not took or asked([test])[0] == outcome  # or did an earlier test disturb it?
            if alone and self._passes_without(test):
                return "killed", test + (": CPU time" if outcome == "time" else "")
            tests.remove(test.split("::")[0])
        return "survived", "its tests fail without it"

    def tests_for(self, file: str, callers=frozenset()) -> list[str]:
        """Test files in the order in which they run, with enough in them for the budget."""
        reach, cost = self.imports.reach(file), Counter()
        calling = {test.split("::")[0] for test in callers}
        for test, seconds in self.seconds.items():
            own = test.split("::")[0]
            if test in callers if own in calling else not is_for_others(file, test):
                cost[own] += seconds
        reach |= dict.fromkeys(calling & set(reach), 0)
        order = sorted(reach, key=lambda t: (min(reach[t], 3), cost.get(t, NEW)))
        chosen, used = [], 0.0
        for test in order:
            if used < self.budget and reach[test] < (99 if self.budget < float("inf") else 100):
                chosen.append(test)
                used += cost.get(test, NEW)
        return chosen

    def _run(self, tests, budget, compiling, nearer=()):
        log = self.scratch / "log.txt"
        return forks.run_tests(self.tree, log, tests, self.seconds, budget, compiling, nearer)

    def _passes_without(self, test: str) -> bool:
        if test not in self.sound:
            outcome, _, _, took = self._run([test], 1e9, True)
            self.sound[test] = outcome == "passed"
            if not self.sound[test]:
                print(f"     {test} fails without any mutant", flush=True)
            self._remember(took)
        return self.sound[test]

    def _remember(self, took: dict) -> None:
        self.seconds |= took
        self.times.write_text(json.dumps(self.seconds, indent=0))

    def _cached(self) -> dict[Path, int]:
        """The library's own caches: machine code, answers that are remembered."""
        folder = self.tree / "src" / "dpbandits" / "__pycache__"
        files = (p for p in folder.rglob("*") if p.suffix != ".pyc" and p.is_file())
        return {p: p.stat().st_mtime_ns for p in files}

    def _forget(self, cached: dict[Path, int], mutant: Mutant) -> None:
        """Of what came new, only machine code of modules that the mutant cannot reach may stay."""
        touched = {Path(file).stem for file in self.imports.distances(mutant.file)}
        keeps = not {"compiled", "sources"} & touched
        for path, when in self._cached().items():
            if cached.get(path) != when:
                folder = next((p.name for p in path.parents if p.parent.name == "numba"), "")
                module = folder.rpartition("-")[0].rpartition(".")[2]
                if not (keeps and module and module not in touched):
                    path.unlink()


def known_equivalents() -> dict[tuple, str]:
    entries = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {tuple(entry[key] for key in NAME): entry["reason"] for entry in entries}


def table(rows: list[dict]) -> str:
    counted = [r for r in rows if r["outcome"] != "equivalent"]
    folders = sorted({r["folder"] for r in counted})
    lines = ["folder".ljust(12) + "".join(k.rjust(12) for k in (*KINDS, "all"))]
    for folder in [*folders, "all"]:
        cells = []
        for kind in (*KINDS, "all"):
            part = Counter(
                r["outcome"]
                for r in counted
                if folder in (r["folder"], "all") and kind in (r["kind"], "all")
            )
            cells.append(f"{part['killed']}/{part.total()}" if part else "")
        lines.append(folder.ljust(12) + "".join(c.rjust(12) for c in cells))
    return "\n".join(lines)


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def chosen(options, tree: Path) -> list[Mutant]:
    every = all_mutants(tree)
    if options.again is None:
        here = [m for m in every if options.folder in (None, m.folder) and options.file in m.file]
        fits = [m for m in here if options.kind in (None, m.kind)]
        return drawn(tree, fits, options.count, options.seed)
    known = {m.name: m for m in every}
    rows = [r for r in read(options.again) if not options.survivors or r["outcome"] == "survived"]
    names = [tuple(row[key] for key in NAME) for row in rows]
    gone = [name for name in names if name not in known]
    print(f"{len(gone)} mutants are of lines that are no more", *gone, sep="\n     ")
    return [known[name] for name in names if name in known]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="of src/dpbandits, e.g. audit")
    parser.add_argument("--file", default="", help="part of the path, e.g. /figures/")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--again", type=Path, help="the mutants of this output, once more")
    parser.add_argument("--survivors", action="store_true", help="of those, what survived")
    parser.add_argument("--budget", type=float, default=60, help="CPU seconds of tests per mutant")
    parser.add_argument("--rest", action="store_true", help="all tests, whatever they import")
    parser.add_argument("--share", default="1/1", help="1/2, 2/2: two checkouts share the work")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "mutants.jsonl")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    scratch = scratch_copy(ROOT)
    forks.warm_up(scratch / "tree")
    judge, equivalents = Judge(scratch, options.budget, options.rest), known_equivalents()
    share, shares = map(int, options.share.split("/"))
    mutants = chosen(options, scratch / "tree")[share - 1 :: shares]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    done = {tuple(row[key] for key in NAME): row for row in read(options.output)}
    rows = []
    for i, mutant in enumerate(mutants, 1):
        row = done.get(mutant.name)
        if row is None:
            reason = equivalents.get(mutant.name)
            outcome, by = ("equivalent", reason) if reason else judge.verdict(mutant)
            row = asdict(mutant) | {"folder": mutant.folder, "outcome": outcome, "by": by}
            with open(options.output, "a") as file:
                file.write(json.dumps(row) + "\n")
            change = f"{mutant.before[:60]} -> {mutant.after[:60]}"
            place = f"{mutant.kind:10} {mutant.file}:{mutant.line}"
            print(f"{i:4} {outcome:10} {place}  {change}  [{by[:90]}]", flush=True)
        rows.append(row)
    print(f"\nseed {options.seed}, {len(rows)} mutants; killed/drawn:\n{table(rows)}")


if __name__ == "__main__":
    main()
