"""How many functions of dpbandits a call goes through, and in how many files.

    python benchmarks/walks.py         # functions and files of each call
    python benchmarks/walks.py audit   # place and name of each function of one call

Each call is made in a new process, from the import of dpbandits on. What is written with `def` or
`lambda` is a function, also inside another one, and also where an import calls it; it counts once.
Bodies of modules and classes, comprehensions, and compiled code do not count.
"""

import io
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from pathlib import Path

SETTING = '{"means": [0.75, 0.5]}'
CALLS = {
    "learner": "import dpbandits as dp; dp.learner('na-imed', arms=5, epsilon=1.0)",
    "simulate": "from dpbandits.cli import main; main(['simulate', 'lazy-dp-ts', '--epsilon', '1',"
    f" '--setting', '{SETTING}', '--horizon', '1000', '--seeds', '1', '--output', 'regret.csv'])",
    "choose": "import dpbandits as dp; dp.choose(arms=5, epsilon=1.0, horizon=100)",
    "audit": "from dpbandits.cli import main; main(['audit', '--learner', 'rnm-ftnl', '--set',"
    " 'epsilon=1', 'horizon=6', 'variant=printed'])",
}


def walk(call: str) -> list[str]:
    """`path:line name` of each function that is called, in the order of the first calls."""
    called: dict[str, None] = {}
    ours = find_spec("dpbandits").submodule_search_locations[0]

    def note(frame, event, _):
        code = frame.f_code
        inside = code.co_filename.startswith(ours) and code.co_flags & CO_OPTIMIZED
        if event == "call" and inside and (code.co_name[0] != "<" or code.co_name == "<lambda>"):
            called[f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"] = None

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        sys.setprofile(note)
        exec(call, {})
        sys.setprofile(None)
    return list(called)


if __name__ == "__main__":
    if names := sys.argv[1:]:
        print("\n".join(walk(CALLS[names[0]])))
    for name in () if names else CALLS:
        command = [sys.executable, Path(__file__).resolve(), name]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        places = [line.split(":")[0] for line in done.stdout.splitlines()]
        print(f"{name:<9}{len(places):4} functions in {len(set(places)):3} files")
