"""Who imports whom, from the sources of src and tests."""

import ast
import re
from collections import defaultdict, deque
from pathlib import Path

# with modules of tests
FOLDERS = ("stochastic", "sparse", "kernel", "mutation", "plugins", "audit", "report")
CASE = re.compile(r'@(?:claim|figure)\(\s*"([^"]+)"')
PAPERS = {"stochastic": "HU", "sparse": "FL", "kernel": "US", "offline": "KL"}


class Imports:
    """The import graph of a checkout."""

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
        helpers = {f"tests.{folder}.{name}" for name in names for folder in FOLDERS}
        names |= helpers | {f"tests.{name}" for name in names}  # pytest's own paths
        return {self.files[name] for name in names if name in self.files}

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

    def reach(self, file: str) -> dict[str, int]:
        """The test files, by how far they are: 99 are those that nothing connects with this one."""
        near = self.distances(file)
        folder = folder_of(file)
        mirror = (f"tests/{folder}/", f"tests/core/test_{folder}")  # of what is imported by name
        if folder in PAPERS:  # so are claims, figures, studies
            mirror += ("tests/pipeline/", "tests/certificates/", "tests/proofs/")
        if re.search(r"/(claims|studies)/", file):  # golden rows and tables, each by its name
            golden = (f"tests/{folder}/test_{PAPERS.get(folder, folder).lower()}_tables.py",)
            near |= dict.fromkeys((*golden, "tests/pipeline/test_ledger_golden.py"), 1)
        if "/figures/" in file:
            near |= {"tests/pipeline/test_every_figure.py": 1}
        tests = sorted(filter(_is_test, self.files.values()))
        return {t: near.get(t, 50 if t.startswith(mirror) else 99) for t in tests}


def folder_of(file: str) -> str:
    return file.split("/")[2] if file.count("/") > 2 else "core"


def named_in(file: str, source: str) -> set[str]:
    """What tests are called after that are of this file alone: its claims, figures, table."""
    return {f"[{name}]" for name in (*CASE.findall(source), file.rsplit("/", 1)[-1][:-3])}


def is_for(file: str, test: str) -> bool:
    """Whether a test's own name says that it is of the same paper."""
    return f"tests/{folder_of(file)}/" in test or _of(PAPERS.get(folder_of(file), "-"), test)


def is_for_others(file: str, test: str) -> bool:
    return any(_of(p, test) for folder, p in PAPERS.items() if folder != folder_of(file))


def _of(paper: str, test: str) -> bool:
    """A claim is called HU-..., a figure hu/..."""
    return f"[{paper}-" in test or f"[{paper.lower()}/" in test


def _is_test(file: str) -> bool:
    slow = file.startswith(("tests/workflow/", "tests/cluster/", "tests/mutation/"))
    return file.rsplit("/", 1)[-1].startswith("test_") and not slow
