"""Verdicts and pictures of the smoke scale, and the paper scale of what is sensitive: the same
bytes on the two processors that are farthest apart?   Exit code 1 if not.

python tests/workflow/processors_at_large.py [PAPER,PAPER...]

The smoke tables of these two are those of tests/golden (tests/workflow/test_processors.py): they
are not made once more, but on the other emulated processors.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from processors import FARTHEST, PROCESSORS, ROOT, on

GOLDEN = ROOT / "tests/golden"
# those that came out otherwise on another processor before anything was pinned
SENSITIVE = ("fl/margin", "fl/margin_converged", "fl/estimation")


def work(papers: list[str]):
    """Scales, and what to make at each."""
    if "fl" in papers:
        yield "paper", SENSITIVE
    for key in papers:
        yield "smoke", (f"claims/{key}", f"figures/{key}")


def made(processor: str, scale: str, what: tuple[str, ...], kinds: tuple[str, ...]):
    """The files of these kinds, by name."""
    with tempfile.TemporaryDirectory() as folder:
        if "claims" in kinds:
            shutil.copytree(GOLDEN, Path(folder, "tables"))
        on(processor, str(ROOT / "tests/workflow/processors.py"), folder, scale, *what)
        paths = [p for kind in kinds for p in Path(folder, kind).rglob("*") if p.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def compared(what: str, one: dict[str, bytes], other: dict[str, bytes]) -> int:
    every = one.keys() | other.keys()
    names = sorted(name for name in every if one.get(name) != other.get(name))
    print(f"{what}: {len(every) - len(names)} files equal, {len(names)} differ", flush=True)
    for name in names:
        print(f"   {name}", flush=True)
    return len(names)


def golden_tables(papers: list[str]) -> int:
    """How many smoke tables differ from the golden ones, on those that `make test` leaves out."""
    files = [path for key in papers for path in (GOLDEN / key).rglob("*.csv")]
    golden = {f"tables/{path.relative_to(GOLDEN)}": path.read_bytes() for path in files}
    what = [name.removeprefix("tables/").removesuffix(".csv") for name in golden]
    left = PROCESSORS.keys() - set(FARTHEST)
    return sum(
        compared(f"smoke tables, {name}", made(name, "smoke", (*what,), ("tables",)), golden)
        for name in sorted(left)
    )


def main() -> int:
    papers = sys.argv[1].split(",") if sys.argv[1:] else ["kl", "us", "fl", "hu"]
    differ = golden_tables(papers)
    for scale, what in work(papers):
        kinds = ("tables",) if scale == "paper" else ("claims", "figures")  # no golden copies
        one, other = (made(processor, scale, what, kinds) for processor in FARTHEST)
        differ += compared(f"{scale}, {' '.join(what)}", one, other)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
