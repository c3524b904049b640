"""Jobs on this machine begin as forks of a process that has loaded their libraries already.

A job loads NumPy, numba and the like for a second, often longer than it works. The run has a
process that loads them once, at the latest for the first job of a kind, and nothing of ours: a job
imports dpbandits itself, as ever, with its own environment, folder and output. Snakemake calls
`ask` in place of the interpreter. If nobody listens, as on a cluster, jobs start by themselves.
"""

import gc
import importlib
import marshal
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from types import ModuleType

from dpbandits.pipeline import ask  # dpbandits tells the libraries how to compute, before they load

ALL = ("snakemake.io", "snakemake.logging", "numpy", "pydantic.main", "pydantic.types")
TABLES = ("pandas", "pyarrow.dataset", "pyarrow.parquet", "pyarrow.pandas_compat", "scipy.special")
COMPILED = ("numba", "scipy.special", "flint")
PICTURES = (
    "matplotlib.pyplot",
    "seaborn",
    "matplotlib.backends.backend_pdf",
    "fontTools.subset",
    "jinja2.ext",
)
NOTEBOOKS = ("papermill", "black", "IPython", "nbconvert")
REPORT = ("snakemake.cli", "jinja2.ext")  # with the first drawing, since all wait for the report
LOADED = {  # by script of workflow/scripts
    "simulate": (*ALL, "pyarrow.parquet", *COMPILED),
    "study": (*ALL, *TABLES, *COMPILED),
    "claims": (*ALL, *TABLES, *COMPILED, "scipy.stats"),
    "aggregate": (*ALL, *TABLES),
    "draw": (*ALL, *TABLES, *COMPILED, *PICTURES, *NOTEBOOKS, *REPORT),
    "report": (*ALL, *TABLES, *COMPILED, *REPORT),
}


def begin(python: str, *scripts: str) -> tuple[list[str], subprocess.Popen]:
    """The words to write in place of `python`, and the process, which ends with this one.

    What jobs of these `scripts` need is loaded when no job waits.
    """
    place = f"dpbandits-{secrets.token_hex(16)}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\0{place}")  # in no folder: Linux forgets it with the process, however killed
    listener.listen(128)
    words = [python, "-P", __file__, str(listener.fileno()), *scripts]
    serving = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[listener.fileno()])
    listener.close()
    return [python, "-IS", ask.__file__, place, python], serving


def serve(listener: socket.socket, scripts: list[str]) -> None:
    """Fork for each that asks, until whoever started this process is gone."""
    import select

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # none is waited for: each tells its own end
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the jobs
    gc.set_threshold(10_000)  # forks inherit it: imports make many objects that stay
    ahead = [name for script in LOADED if script in scripts for name in LOADED[script]]
    while True:
        asked = select.select([listener, 0], [], [], 0 if ahead else None)[0]
        if not asked:
            with suppress(Exception):  # the job that needs it says so
                _load((ahead.pop(0),))
            continue
        if listener not in asked:
            return
        line = listener.accept()[0]
        try:
            ask.refuse_others(line)
            words, folder, environment, files = _request(line)
            _load(LOADED.get(words[0].split(".")[-2], ()))
        except Exception:
            line.close()  # who asked does it without us
            continue
        if os.fork() == 0:
            listener.close()
            _become(line, files, folder, environment)
            os._exit(_ended(line, words))
        for file in (line.fileno(), *files):
            os.close(file)
        line.detach()


def _load(names: tuple[str, ...]) -> None:
    sys.modules.setdefault("rfc3987_syntax", None)  # as in common.smk: 1.4 s of no use here
    new = [name for name in names if name not in sys.modules]
    for name in new:
        importlib.import_module(name)
    for name in new:
        TRIED.get(name, int)()
    if new:
        gc.collect()
        gc.freeze()


def _compile() -> None:
    """What numba knows of Python and NumPy; it asks when it first compiles."""
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def _draw() -> None:
    """What matplotlib reads of fonts and formulas with the first that it draws."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().set_title("a $x$")
    with rc_context({"pdf.fonttype": 42}):
        figure.savefig(BytesIO(), format="pdf")


def _export() -> None:
    """What shows a notebook as HTML compiles its checks and expressions with the first."""
    from nbconvert import HTMLExporter
    from nbformat import v4

    cells = [v4.new_markdown_cell("a"), v4.new_code_cell("import a")]
    HTMLExporter(template_name="basic").from_notebook_node(v4.new_notebook(cells=cells))


def _report() -> None:
    """Snakemake looks for its plugins when it reads its words; texts are set by docutils."""
    from docutils.core import publish_parts
    from snakemake.cli import get_argument_parser

    get_argument_parser()
    publish_parts("a", writer_name="html")


# Libraries that prepare themselves not when they are loaded, but when they first work.
TRIED = {
    "numba": _compile,
    "matplotlib.backends.backend_pdf": _draw,
    "nbconvert": _export,
    "snakemake.cli": _report,
}


def _request(line: socket.socket) -> tuple[list[str], str, dict[str, str], list[int]]:
    size, files, _, _ = socket.recv_fds(line, 8, 3)
    with line.makefile("rb") as stream:
        return *marshal.loads(stream.read(int.from_bytes(size, "big"))), files


def _become(line, files: list[int], folder: str, environment: dict[str, str]) -> None:
    """A new process in all but its start."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    line.send(b"+")
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for name in [name for name in sys.modules if name.split(".")[0] == "dpbandits"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def _end_with(line: socket.socket) -> None:
    """Whoever asked was killed: so is the job."""
    if not line.recv(1):
        os.kill(os.getpid(), signal.SIGKILL)


def _ended(line: socket.socket, words: list[str]) -> int:
    """Run the script; tell whoever asked the code with which it ends."""
    sys.argv = words
    sys.path.insert(0, str(Path(words[0]).parent))
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__file__ = words[0]
    code = 0
    try:
        exec(compile(Path(words[0]).read_bytes(), words[0], "exec"), vars(main))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    line.send(bytes([code & 255]))
    return code


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
