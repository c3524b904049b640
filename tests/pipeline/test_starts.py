"""A job that is a fork is a process of its own in all but its start: seen from in- and outside."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processors import FARTHEST, PROCESSORS
from scratch import ROOT

from dpbandits.pipeline import ask, starts

SAYS = """
import json, os, sys
seen = sorted(name for name in sys.modules if name.split(".")[0] in ("dpbandits", "numpy"))
print(json.dumps([seen, __name__, __file__, sys.argv, sys.path[0], os.getcwd(), dict(os.environ)]))
"""


@pytest.fixture(scope="module")
def serving():
    """(what to write in place of Python, the process that forks), and that it goes as it should."""
    words, started = starts.begin(sys.executable)
    yield words
    started.stdin.close()
    assert started.wait(60) == 0


@pytest.fixture
def script(tmp_path):
    def written(text: str) -> str:
        path = tmp_path / "some folder/tmp1.script.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)

    return written


def ended(words, path, **said) -> subprocess.CompletedProcess:
    return subprocess.run([*words, path], capture_output=True, text=True, **said)


def test_it_sees_what_a_new_process_sees(serving, script, tmp_path):
    path = script(SAYS)
    said = {"cwd": tmp_path, "env": {**os.environ, "ONLY": "here"}}
    forked, new = (ended(words, path, **said) for words in (serving, [sys.executable]))
    assert json.loads(forked.stdout) == json.loads(new.stdout)
    assert json.loads(forked.stdout)[6]["ONLY"] == "here"
    assert json.loads(forked.stdout)[0] == []  # nothing of ours, which may have been edited since
    assert (forked.returncode, forked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "code", "last"),
    [
        ("import sys; print('x'); sys.exit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('No such table')", 1, "No such table"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL, ""),
        ("import subprocess; subprocess.run(['false'], check=False); raise SystemExit(7)", 7, ""),
    ],
)
def test_it_ends_as_a_new_process_ends(serving, script, text, code, last):
    for words in (serving, [sys.executable]):
        done = ended(words, script(text))
        assert done.returncode == code
        assert (done.stderr.splitlines() or [""])[-1] == last
        assert done.stdout == ("x\n" if code == 3 else "")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_who_kills_the_one_that_asked_kills_the_job(serving, script):
    path = script("import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    with subprocess.Popen([*serving, path], stdout=subprocess.PIPE, text=True) as asking:
        job = int(asking.stdout.readline())
        assert job != asking.pid
        asking.kill()
        assert asking.stdout.read() == ""  # which the job held open, too
        while not gone(job):
            time.sleep(0.01)


def test_who_is_somebody_else_is_refused(monkeypatch):
    """Who could ask could run anything as us."""
    for line in socket.socketpair():
        with line:
            ask.refuse_others(line)
            monkeypatch.setattr(os, "getuid", lambda: 12345)
            with pytest.raises(PermissionError):
                ask.refuse_others(line)
            monkeypatch.undo()


def test_what_is_needed_later_is_loaded_when_no_job_waits(script):
    """A job that asks for nothing finds what others will ask for, sooner or later."""
    words, started = starts.begin(sys.executable, "aggregate", "unknown")
    path = script("import sys; print('numpy' in sys.modules, 'pandas' in sys.modules)")
    until = time.monotonic() + 300
    while (said := ended(words, path).stdout) != "True True\n":
        assert said in ("False False\n", "True False\n")
        assert time.monotonic() < until
        time.sleep(0.2)
    path = script("import sys; print('matplotlib' in sys.modules)")
    assert ended(words, path).stdout == "False\n"
    started.stdin.close()
    assert started.wait(60) == 0


def test_a_server_that_was_killed_leaves_no_file(script, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "empty"))
    (tmp_path / "empty").mkdir()
    words, started = starts.begin(sys.executable)
    assert ended(words, script("print(1)")).stdout == "1\n"
    started.kill()
    started.wait(60)
    assert ended(words, script("print(2)")).stdout == "2\n"  # by itself
    assert not [*(tmp_path / "empty").iterdir()]


def test_without_anybody_there_it_starts_by_itself(serving, script):
    nobody = [*serving[:-2], "nobody", sys.executable]
    assert ended(nobody, script("print(1); raise SystemExit(2)")).returncode == 2


def test_if_its_libraries_do_not_load_it_starts_by_itself(script, tmp_path):
    """And then alone: it is begun once."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{tmp_path}")
        listener.listen()
        words = [sys.executable, "-IS", ask.__file__, str(tmp_path)]
        path = script("print('once')")
        with subprocess.Popen([*words, sys.executable, path], stdout=-1, text=True) as asking:
            line = listener.accept()[0]
            asked, folder, _, files = starts._request(line)
            assert (asked, folder, len(files)) == ([path], os.getcwd(), 3)
            for file in files:
                os.close(file)
            line.close()
            assert asking.stdout.read() == "once\n"


def test_what_is_loaded_computes_as_everywhere(script):
    """Told by an environment to do otherwise, as in tests/workflow/test_processors.py."""
    program = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT / "src")!r})
os.environ |= {PROCESSORS[FARTHEST[0]]!r}
from dpbandits.pipeline import starts
print(json.dumps(starts.begin(sys.executable)[0]), flush=True)
sys.stdin.read()
"""
    path = Path(script("")).with_name("tmp2.simulate.py")
    path.write_text(
        "import sys; before = 'numpy' in sys.modules; import numba\n"
        "from numpy._core._multiarray_umath import __cpu_features__ as features\n"
        "print(before, features['X86_V3'], features['X86_V4'], numba.config.CPU_NAME)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=-1, stdout=-1, text=True
    ) as beginning:
        words = json.loads(beginning.stdout.readline())
        assert ended(words, str(path)).stdout == "True True False haswell\n"
        beginning.stdin.close()


def test_every_script_of_many_jobs_has_its_libraries():
    scripts = {path.stem for path in (ROOT / "workflow/scripts").glob("*.py")}
    assert set(starts.LOADED) <= scripts
