"""Python processes that need not import NumPy and the like once more: forks of this one.

What they run sees no module of ours, of tests or of other papers but those that it imports itself,
by its own environment, folder and path: a new process in all but its start, which takes a second.
"""

import gc
import importlib
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType

PRELOADED = ("numpy", "scipy.stats", "scipy.optimize", "scipy.linalg", "pandas", "pyarrow.parquet")
PRELOADED += ("numba", "flint", "pydantic", "yaml", "matplotlib.pyplot")


def python(words: Sequence[str], cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess:
    """As subprocess.run of [sys.executable, *words]; the first is -c or -m."""
    path = _path()
    for name in PRELOADED:
        importlib.import_module(name)
    with TemporaryFile() as out, TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            gc.freeze()  # what came before is not to be collected, nor looked through
            for file, number in ((out, 1), (err, 2)):
                os.dup2(file.fileno(), number)
            _begin_anew(cwd, env, path)
            os._exit(_ended(words))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = [(file.seek(0), file.read().decode())[1] for file in (out, err)]
    return subprocess.CompletedProcess([sys.executable, *words], status, *said)


@cache
def _path() -> list[str]:
    """Where a new process looks, without what PYTHONPATH says."""
    program = "import sys; print(*sys.path[1:], sep='\\n')"
    return subprocess.check_output([sys.executable, "-E", "-c", program], text=True).splitlines()


def _begin_anew(cwd: Path, env: dict[str, str], path: list[str]) -> None:
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    installed = tuple(f"{Path(p)}{os.sep}" for p in (sys.prefix, sys.base_prefix))
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None) or ""
        if file and not os.path.abspath(file).startswith(installed):
            del sys.modules[name]
    given = [p for p in env.get("PYTHONPATH", "").split(os.pathsep) if p]
    sys.path[:] = [str(cwd), *given, *path]
    importlib.invalidate_caches()


def _ended(words: Sequence[str]) -> int:
    """Run -c PROGRAM or -m MODULE with its arguments; the code that a process ends with."""
    sys.argv = [words[0], *words[2:]]
    try:
        if words[0] == "-c":
            sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(words[1], "<string>", "exec"), vars(sys.modules["__main__"]))
        else:
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code
