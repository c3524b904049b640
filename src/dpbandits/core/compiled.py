"""Compiled code: one decorator, and a disk cache that never serves stale machine code.

numba looks only at the file of a cached function, not at the files of the functions that it calls:
after an edit of `noise.py` every engine would go on with the old noise. So each module keeps its
machine code in a folder named after the content of all that it imports, transitively (constants are
compiled in too): an edit is compiled again in the modules that can see it, and in no other.

Jobs that start together ask for the same functions. One process compiles a function, the others
wait, which costs nothing, and load it.
"""

import fcntl
import hashlib
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from dpbandits.core.sources import cache_folder, imports_in, modules_behind, named_in, source_of

COMPILED: Counter[str] = Counter()  # function -> CPU seconds that this process compiled it, or 0
HELD: list[tuple[str, str]] = []  # what this process compiles, each for the one before it


@cache
def folder_of(module: str, file: Path) -> Path | None:
    """Where the machine code of a module in this file is kept; None: no file, as in a notebook."""
    if source_of(module):
        files = {source_of(name) for name in modules_behind(module)}
    elif file.is_file():
        scripts = _scripts_behind(file)
        used = modules_behind(*(name for script in scripts for name in imports_in(script)))
        files = scripts | {source_of(name) for name in used}
    else:
        return None
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(files):
        source = path.read_bytes()
        digest.update(f"{path.name}\0{len(source)}\0".encode() + source)
    return cache_folder() / "numba" / f"{module}-{digest.hexdigest()}"


def _scripts_behind(file: Path) -> set[Path]:
    """A module of no package, and those of no package that it imports; they are loaded by now."""
    seen: set[Path] = set()
    todo = {file}
    while todo:
        seen.add(script := todo.pop())
        names = {name for name in named_in(script) - sys.stdlib_module_names if "." not in name}
        files = (getattr(sys.modules.get(name), "__file__", None) for name in names)
        todo |= {Path(f) for f in files if f and f.endswith(".py") and "__init__" not in f} - seen
    return seen


@contextmanager
def alone(module: str, name: str, folder: Path):
    """Keep other processes from compiling this function of the module, or wait until they have.

    Who compiles one waits for another only if imports lead to its module and not back, so that no
    two wait for each other; else both compile.
    """
    with ExitStack() as held:
        if (module, name) not in HELD:
            waits = all(_leads(outer, module) for outer, _ in HELD)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                lock = held.enter_context(Path(folder, f"{name}.compiling").open("w"))
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
                held.callback(fcntl.flock, lock, fcntl.LOCK_UN)  # a fork may hold the file, too
            except OSError:  # it is busy, or files are not locked here: it is compiled twice
                pass
        HELD.append((module, name))
        held.callback(HELD.pop)
        yield


@cache
def _leads(module: str, other: str) -> bool:
    known = source_of(module) and source_of(other)
    return bool(known) and other in modules_behind(module) and module not in modules_behind(other)


def jit(function):
    """Compile with numba, cached on disk, IEEE arithmetic (no fastmath), no Python fallback.

    numba gives each function two gates beside its code, to be called from Python and from C: a
    quarter of the time. Nobody calls from C; what compiled code calls gets no gate at all.
    """
    compiled, inner = _compiled(function, gate=True), _compiled(function, gate=False)
    compiled.get_call_template, compiled.get_overload = inner.get_call_template, inner.get_overload
    return compiled


def _compiled(function, gate: bool):
    import numba  # here, not above: commands that simulate nothing must not pay for this import
    from numba.core.caching import FunctionCache
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.runtime.nrt import rtsys

    from dpbandits.core.linked import Library

    class Kept(FunctionCache):
        """numba prepares to compile before it looks for machine code: 0.3 s of a process's time."""

        def load_overload(self, sig, target_context):
            rtsys.initialize(target_context)
            target_context.codegen()._library_class = Library
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

        def _index_key(self, sig, codegen):
            return (*super()._index_key(sig, codegen), gate)

    module, code = function.__module__, function.__code__
    name = f"{code.co_name}-{code.co_firstlineno}"
    folder = folder_of(module, Path(code.co_filename))
    chosen = numba.config.CACHE_DIR  # NUMBA_CACHE_DIR, if the user has set it
    numba.config.CACHE_DIR = chosen or str(folder)
    options = {"error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": not gate}
    try:
        compiled = numba.njit(**options)(function)
        if folder is None:
            return compiled
        compiled._cache = Kept(function)
        original, misses = compiled.compile, compiled._cache_misses

        def compile_alone(signature):
            with global_compiler_lock, alone(module, name, folder):
                begin, missed, inside = time.process_time(), misses.total(), COMPILED.total()
                found = original(signature)
                own = time.process_time() - begin - (COMPILED.total() - inside)
                loaded = misses.total() == missed
                COMPILED[f"{module}.{code.co_name}"] += 0.0 if loaded else own
                return found

        compiled.compile = compile_alone
        return compiled
    finally:
        numba.config.CACHE_DIR = chosen
