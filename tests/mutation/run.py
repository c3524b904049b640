"""Mutation runs: how many single mistakes in src/ do the tests notice?

    python tests/mutation/run.py --count 100 --seed 1 [--folder audit] [--kind verdict]

Everything happens in a scratch copy of the checkout, one mutant after another. The tests that
import the mutated file come first (the nearer the import and the quicker the file, the earlier),
then those of the folder that mirrors it, until a budget of CPU seconds is used up; `--rest` adds
the others. A test process is a fork of this one, which has imported numpy and the like already, and
is stopped after a limit of CPU time, never of wall time. Python checks its bytecode by content
here; machine code of functions that the mutant cannot reach is taken over, the rest is compiled
anew. The outcome is written to results/mutants.csv, the table by folder and kind is printed.
"""

import argparse
import ast
import compileall
import csv
import importlib
import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import zlib
from collections import Counter, defaultdict, deque
from pathlib import Path

from mutants import KINDS, Mutant, all_mutants, drawn

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PRELOADED = (
    *("numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.linalg", "pandas", "numba"),
    *("flint", "pydantic", "pytest", "hypothesis", "matplotlib.figure", "pyarrow.parquet"),
)
SLOW = "not pipeline and not cluster"


# The scratch copy


def scratch_copy(root: Path) -> Path:
    """A folder with all files of the checkout, brought up to date; other files are removed."""
    scratch = Path(tempfile.gettempdir()) / f"mutants-{zlib.crc32(str(root).encode()):08x}"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    wanted = {name for name in listed.split("\0") if name and (root / name).is_file()}
    tree = scratch / "tree"
    for path in [p for p in tree.rglob("*") if p.is_file()]:
        if path.relative_to(tree).as_posix() not in wanted and path.suffix != ".pyc":
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


# Who imports whom


class Imports:
    """The import graph of src and tests, from the sources."""

    def __init__(self, tree: Path):
        self.tree = tree
        self.files = {
            self._module(p): p.relative_to(tree).as_posix()
            for part in ("src", "tests")
            for p in sorted((tree / part).rglob("*.py"))
        }
        self.importers = defaultdict(set)
        for module, file in self.files.items():
            for name in self._imported(module, ast.parse((tree / file).read_bytes())):
                self.importers[name].add(file)

    def _module(self, path: Path) -> str:
        parts = path.relative_to(self.tree).with_suffix("").parts
        parts = parts[1:] if parts[0] == "src" else parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _imported(self, module: str, source: ast.Module) -> set[str]:
        names = set()
        for node in ast.walk(source):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    base = ".".join([*module.split(".")[: -node.level], base]).strip(".")
                names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        helpers = {f"tests.{p}.{n}" for n in names for p in ("stochastic", "kernel", "mutation")}
        names |= helpers | {f"tests.{n}" for n in names}  # pytest's own paths
        return {self.files[n] for n in names if n in self.files}

    def distances(self, file: str) -> dict[str, int]:
        """Every file that reaches this one, by the length of its shortest chain of imports."""
        near, queue = {file: 0}, deque([file])
        while queue:
            here = queue.popleft()
            for importer in sorted(self.importers[here]):
                if importer not in near:
                    near[importer] = near[here] + 1
                    queue.append(importer)
        return near


def _is_test(file: str) -> bool:
    slow = file.startswith(("tests/workflow/", "tests/cluster/", "tests/mutation/"))
    return file.rsplit("/", 1)[-1].startswith("test_") and not slow


# Running tests in a fork


class Runner:
    def __init__(self, scratch: Path, budget: float):
        self.scratch, self.tree, self.budget = scratch, scratch / "tree", budget
        self.imports = Imports(self.tree)
        self.clean = scratch / "numba"
        self.clean.mkdir(exist_ok=True)
        known = scratch / "seconds.json"  # of each test file on sound code, by all content
        self.seconds = json.loads(known.read_text()) if known.is_file() else {}
        sources = (tree for part in ("src", "tests") for tree in (self.tree / part).rglob("*.py"))
        self.content = 0
        for path in sorted(sources):
            self.content = zlib.crc32(path.read_bytes(), self.content)

    def _pytest(self, tests: list[str], cache: Path, limit: float) -> tuple[str, float, str]:
        """("passed" | "failed" | "time", CPU seconds, first failure) of `pytest -x tests`."""
        log = self.scratch / "log.txt"
        child = os.fork()
        if child == 0:
            self._child(tests, cache, limit, log)
        _, status, used = os.wait4(child, 0)
        spent = used.ru_utime + used.ru_stime
        text = log.read_text(errors="replace")
        first = next((x for x in text.splitlines() if x.startswith(("FAILED", "ERROR"))), "")
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
            return ("time" if late else "failed"), spent, f"signal {os.WTERMSIG(status)}"
        code = os.WEXITSTATUS(status)  # 5: nothing was collected
        return ("passed" if code in (0, 5) else "failed"), spent, first

    def _child(self, tests, cache, limit, log):
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 5))
        os.chdir(self.tree)
        os.environ["PYTHONPATH"] = str(self.tree / "src")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.environ["NUMBA_CACHE_DIR"] = str(cache)
        sys.dont_write_bytecode = True
        sys.path[:] = [str(self.tree / "src"), *(p for p in sys.path if "mutation" not in p)]
        sys.modules.pop("mutants", None)
        import numba
        import pytest

        numba.config.CACHE_DIR = str(cache)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-m", SLOW, "--durations=0", "--tb=line"]
        code = pytest.main([*options, *tests])
        sys.stdout.flush()
        os._exit(int(code))

    def baseline(self, test: str) -> float:
        """CPU seconds of a test file on sound code (which warms the caches); it has to pass."""
        key = f"{test} {self.content:08x}"
        if key not in self.seconds:
            outcome, spent, first = self._pytest([test], self.clean, 3600)
            if outcome != "passed":
                raise SystemExit(f"{test} fails without any mutant: {first}")
            self.seconds[key] = spent
            (self.scratch / "seconds.json").write_text(json.dumps(self.seconds, indent=1))
        return self.seconds[key]

    def tests_for(self, file: str, rest: bool) -> list[str]:
        """Test files in the order in which they run."""
        near = self.imports.distances(file)
        mirror = "/".join(["tests", *file.split("/")[2:3]]) + "/"
        every = sorted(filter(_is_test, self.imports.files.values()))
        first = {t: near.get(t, 50 if t.startswith(mirror) else 99) for t in every}
        chosen, used = [], 0.0
        for reach in sorted(set(first.values())):
            if not rest and (reach == 99 or used > self.budget):
                break  # too far, or enough
            for test in sorted((t for t in every if first[t] == reach), key=self.baseline):
                used += self.baseline(test)
                if used <= self.budget or rest or not chosen:
                    chosen.append(test)
        return sorted(chosen, key=lambda t: (first[t] > 1, first[t] > 9, self.baseline(t)))

    def judge(self, mutant: Mutant, rest: bool) -> tuple[str, str]:
        """("killed" | "survived", by what)."""
        path = self.tree / mutant.file
        tests, before, stamp = self.tests_for(mutant.file, rest), path.read_bytes(), path.stat()
        if not tests:
            return "survived", "no test reaches it"
        cache = self._cache_for(mutant)
        limit = 30 + 2 * sum(map(self.baseline, tests)) + (200 if cache != self.clean else 0)
        path.write_bytes(mutant.applied(before))
        try:
            outcome, spent, first = self._pytest(tests, cache, limit)
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            if cache != self.clean:
                shutil.rmtree(cache)
        if outcome == "passed":
            return "survived", f"{len(tests)} test files, {spent:.0f} s"
        return "killed", first if outcome == "failed" else "CPU time"

    def _cache_for(self, mutant: Mutant) -> Path:
        """The clean machine code, without what may call the mutated file."""
        source = (self.tree / mutant.file).read_text()
        if "numba" not in source and "@jit" not in source:
            return self.clean
        cache = self.scratch / "numba-of-the-mutant"
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self.clean, cache, copy_function=os.link)
        stale = {Path(f).stem for f in self.imports.distances(mutant.file)}
        for path in list(cache.rglob("*.nb*")):
            if path.name.split(".")[0] in stale:
                path.unlink()
        return cache


# The table


def known_equivalents() -> dict[tuple, str]:
    if not EQUIVALENT.is_file():
        return {}
    entries = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    keys = ("file", "function", "text", "before", "after")
    return {tuple(entry[key] for key in keys): entry["reason"] for entry in entries}


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="of src/dpbandits, e.g. audit")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--budget", type=float, default=120, help="CPU seconds of tests per mutant")
    parser.add_argument("--rest", action="store_true", help="all tests, whatever they import")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "mutants.csv")
    options = parser.parse_args()
    for name in PRELOADED:
        importlib.import_module(name)
    scratch = scratch_copy(ROOT)
    runner, equivalents = Runner(scratch, options.budget), known_equivalents()
    pool = [
        m
        for m in all_mutants(scratch / "tree")
        if options.folder in (None, m.folder) and options.kind in (None, m.kind)
    ]
    rows = []
    options.output.parent.mkdir(parents=True, exist_ok=True)
    for i, mutant in enumerate(drawn(scratch / "tree", pool, options.count, options.seed), 1):
        reason = equivalents.get(mutant.name)
        outcome, by = ("equivalent", reason) if reason else runner.judge(mutant, options.rest)
        place = {"folder": mutant.folder, "kind": mutant.kind, "file": mutant.file}
        place |= {"line": mutant.line, "function": mutant.function, "text": mutant.text}
        rows.append(
            place | {"before": mutant.before, "after": mutant.after, "outcome": outcome, "by": by}
        )
        print(f"{i:4} {outcome:10} {mutant.kind:10} {mutant.file}:{mutant.line}  "
              f"{mutant.before[:60]} -> {mutant.after[:60]}  [{by[:90]}]", flush=True)  # fmt: skip
        with open(options.output, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    print(f"\nseed {options.seed}, {len(rows)} of {len(pool)} mutants; killed/drawn:")
    print(table(rows))


if __name__ == "__main__":
    main()
