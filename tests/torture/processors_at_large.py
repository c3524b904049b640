"""Verdicts and pictures of the smoke scale, and the paper scale of what is sensitive: the same
bytes on the two processors that are farthest apart?   Exit code 1 if not. Part of make torture.

python tests/torture/processors_at_large.py [PAPER,PAPER...]

The smoke tables, the same on all five emulated processors, are those of tests/golden
(tests/workflow/test_processors.py): they are not made once more.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "workflow")]
from processors import ROOT, on  # noqa: E402

FARTHEST = ("Intel, AVX-512", "before AVX2")
# those that came out otherwise on another processor before anything was pinned
SENSITIVE = ("fl/margin", "fl/margin_converged", "fl/estimation")


def work(papers: list[str]):
    """Scales, and what to make at each."""
    if "fl" in papers:
        yield "paper", SENSITIVE
    for key in papers:
        yield "smoke", (f"claims/{key}", f"figures/{key}")


def made(processor: str, scale: str, what: tuple[str, ...]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        if scale == "smoke":
            shutil.copytree(ROOT / "tests/golden", Path(folder, "tables"))
        on(processor, str(ROOT / "tests/workflow/processors.py"), folder, scale, *what)
        kinds = ("tables",) if scale == "paper" else ("claims", "figures")  # no golden copies
        paths = [p for kind in kinds for p in Path(folder, kind).rglob("*") if p.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def main() -> int:
    differ = 0
    papers = sys.argv[1].split(",") if sys.argv[1:] else ["kl", "us", "fl", "hu"]
    for scale, what in work(papers):
        one, other = (made(processor, scale, what) for processor in FARTHEST)
        names = sorted(
            name for name in one.keys() | other.keys() if one.get(name) != other.get(name)
        )
        differ += len(names)
        same = len(one.keys() | other.keys()) - len(names)
        print(f"{scale}, {' '.join(what)}: {same} files equal, {len(names)} differ", flush=True)
        for name in names:
            print(f"   {name}", flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
