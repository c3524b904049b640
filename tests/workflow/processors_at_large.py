"""Compare verdicts and pictures of the smoke scale, and sensitive tables of the paper scale, on the
two emulated processors that are farthest apart. Exit code 1 if they differ.

python tests/workflow/processors_at_large.py [PAPER,PAPER...]

The smoke tables are also compared with tests/golden on the other emulated processors; for these two
tests/workflow/test_processors.py does that.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from processors import FARTHEST, PROCESSORS, ROOT, on

GOLDEN = ROOT / "tests/golden"
# tables that differed between processors before the arithmetic was fixed
SENSITIVE = ("fl/margin", "fl/margin_converged", "fl/estimation")


def work(papers: list[str]):
    """The files to make at each scale."""
    if "fl" in papers:
        yield "paper", SENSITIVE
    for key in papers:
        yield "smoke", (f"claims/{key}", f"figures/{key}")


def made(processor: str, scale: str, what: tuple[str, ...], kinds: tuple[str, ...]):
    """The content of the files of some kinds, by name."""
    with tempfile.TemporaryDirectory() as folder:
        if "claims" in kinds:
            shutil.copytree(GOLDEN, Path(folder, "tables"))
        on(processor, str(ROOT / "tests/helpers/processors.py"), folder, scale, *what)
        paths = [p for kind in kinds for p in Path(folder, kind).rglob("*") if p.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def compared(what: str, one: dict[str, bytes], other: dict[str, bytes]) -> int:
    all_names = one.keys() | other.keys()
    names = sorted(name for name in all_names if one.get(name) != other.get(name))
    print(f"{what}: {len(all_names) - len(names)} files equal, {len(names)} differ", flush=True)
    for name in names:
        print(f"   {name}", flush=True)
    return len(names)


def golden_tables(papers: list[str]) -> int:
    """The number of smoke tables that differ from the golden ones, on the other processors."""
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
