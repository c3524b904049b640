"""Everything at the smoke scale, pictures too, and the paper scale of what is sensitive: the same
bytes on every emulated processor?   Exit code 1 if not. Part of make torture.
"""

import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "workflow")]
from processors import PROCESSORS, on  # noqa: E402

MAKE = str(Path(__file__).resolve().parents[1] / "workflow/processors.py")
# those that came out otherwise on other processors before anything was pinned
SENSITIVE = ("fl/margin", "fl/margin_converged", "fl/estimation", "kl/tightness", "kl/attacks")
WORK = {"smoke": ("all-tables", "all-claims", "all-figures"), "paper": SENSITIVE}


def main() -> int:
    made: dict[str, dict[str, bytes]] = {}
    for processor in sys.argv[1:] or PROCESSORS:
        with tempfile.TemporaryDirectory() as folder:
            for scale, what in WORK.items():
                on(processor, MAKE, f"{folder}/{scale}", scale, *what)
            paths = [path for path in Path(folder).rglob("*") if path.is_file()]
            made[processor] = {str(p.relative_to(folder)): p.read_bytes() for p in paths}
        print(f"{processor}: {len(paths)} files", flush=True)
    first = next(iter(made.values()))
    other = {
        f"{processor}: {name}"
        for processor, files in made.items()
        for name in first.keys() | files.keys()
        if first.get(name) != files.get(name)
    }
    print("\n".join(sorted(other)) or "all equal")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
