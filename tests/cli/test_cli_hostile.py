"""Hostile input to every command: one line, exit code 2, nothing written.

To try more, add a line to COMMANDS, in which the names of FILES stand for files with that content;
or run one line alone: `pytest tests/cli/test_cli_hostile.py -k "text of the line"`.
"""

import os
import signal
import subprocess
import sys
import time

import pytest
from scratch import ROOT

import dpbandits
from dpbandits.cli import main
from dpbandits.core.algorithms import run
from dpbandits.core.errors import InputError

LONG = "a" * 300
ALIASES = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 11))
FUNCTIONS = """
import sys
def leaves(data, generator): sys.exit(0)
def huge(data, generator): return 10**400 + len(data)
def endless(data, generator): return 10**6000 + len(data)
class Odd:
    def __str__(self): raise KeyError
def odd(data, generator): return Odd()
def negative(data, generator): return sum(data) + generator.laplace(scale=-1)
def cancelling(data, generator): return sum(data) + generator.laplace(), negative(data, generator)
def unscaled(data, generator): return sum(data) + generator.normal(scale=float("nan"))
class Wordless(Exception):
    def __str__(self): raise ValueError
def wordless(data, generator): raise Wordless
class Own(BaseException): pass
def lines(data, generator): raise ValueError("two\\nlines")
class Interrupted(KeyboardInterrupt): pass
def own(data, generator): raise Own
def interrupted(data, generator): raise Interrupted
def interrupts(data, generator): raise KeyboardInterrupt
async def waits(data, generator): return 1
def nothing(data, generator): pass
class Leaving:
    def __init__(self, epsilon, noise, rng): pass
    def act(self): sys.exit(0)
    def update(self, reward): pass
class Idle(Leaving):
    async def act(self): pass
"""
REGRET = "algorithm,epsilon,seed,t,regret\nftl,inf,0,1,{}\n"
FILES = {
    "brackets.yaml": "[" * 100_000,
    "brackets.json": "[" * 100_000,
    "aliases.yaml": "a0: &a0 x\n" + ALIASES,
    "recursive.yaml": "a: &a [*a]\n",
    "date.yaml": "means: 2026-13-45\n",
    "digits.yaml": f"means: [{'1' * 6000}]\n",
    "number.yaml": "means: [0x, 1_, 0b]\n",
    "key.yaml": "? [a]\n: 1\n",
    "twice.yaml": "means: [0.7, 0.5]\nmeans: [0.7, 0.6]\n",
    "twice.json": '{"means": [0.7, 0.5], "means": [0.7, 0.6]}',
    "deep.json": '{"means": ' + "[" * 200 + "]" * 200 + "}",
    "true.json": '{"means": [true, 0.5]}',
    "text.json": '{"means": ["0.7", 0.5]}',
    "long.yaml": "means: [" + "0.5, " * 300_000 + "0.7]",
    "tag.yaml": "means: !!python/object/apply:os.system [exit]\n",
    "empty": "",
    "exits.py": "import sys\nsys.exit(0)\n",
    "fns.py": FUNCTIONS,
    "ok.csv": REGRET.format(1),
    "inf.csv": REGRET.format("inf"),
    "large.csv": REGRET.format("1e308"),
    "zero.csv": REGRET.format(0),
    "early.csv": REGRET.format(1).replace(",1,", ",-1,"),
    "half.csv": REGRET.format(1).replace(",1,", ",1.5,"),
    "again.csv": REGRET.format(1) + "ftl,inf,0,1,2\n",
    "nameless.csv": REGRET.format(1).replace("ftl", ""),
    "seedless.csv": REGRET.format(1).replace(",0,", ",0.5,"),
    "true.csv": "arm,reward\n0,True\n",
    "set.yaml": "means: !!set {0.7, 0.5}\n",
    "negative.csv": REGRET.format(1).replace("inf", "-1"),
    "other.csv": REGRET.format(2),
    "ok.csv.json": "[[[",
    "other.csv.json": "3",
}
RUN = "simulate ftl --setting {} --horizon 10 --seeds 2 -o o.csv"
GOOD = RUN.format('{"means":[0.7,0.5]}')
FLIPHAT = "simulate fliphat --epsilon 1 --horizon 10 --seeds 2 -o o.csv --setting "
AUDIT = "audit --set data=[0,1] runs=100 --function "
COMMANDS = {  # the command -> words of its line
    # numbers
    **{f"{GOOD} --first-seed {x}": "--first-seed" for x in (
        "banana", "nan", "1e400", "-1", "0.5", "٣", "²", "inf", "0x1", "9" * 5000)},
    **{f"{GOOD.replace('--seeds 2', '--seeds ' + x)}": "--seeds" for x in ("٣", "1e400", "0")},
    f"{GOOD} --epsilon ٣": "--epsilon",
    f"{GOOD} --epsilon 1e400": "--epsilon",
    f"{GOOD} --epsilon 1_0": "--epsilon",
    "verify ok.csv --cores ²": "--cores",
    "calibrate rnm --target-epsilon 1e-90 --set arms=2 rounds=2 adjacency=replace": "scale",
    "audit laplace --set scale=٣": "scale",
    **{f"calibrate laplace --target-rho {x}": "1e-06 to 1e+12" for x in ("1e300", "1e-9", "inf")},
    "audit rnm --set arms=401 rounds=9 scale=2 adjacency=replace --at-alpha 2": "at most 400",
    # outputs, tried before anything is computed
    **{GOOD.replace("o.csv", x): "--output" for x in (
        f"{LONG}.csv", "/proc/o.csv", "empty/o.csv", "Makefile", ".", "nowhere/o.csv", "o.CSVX")},
    **{f"plot ok.csv -o {x}": "--output" for x in (
        f"{LONG}.png", "/proc/o.png", "empty/o.png", "Makefile", ".", "ok.csv")},
    **{f"draw hu/fig1 -o {x}": "" for x in (LONG, "/proc/x", "empty/x")},
    "plot inf.csv": "not below 1e100",
    "plot large.csv": "not below 1e100",
    "plot zero.csv --log y": "no regret is above 0",
    "plot nameless.csv": "algorithm: empty",
    "plot seedless.csv": "seed = 0.5",
    "audit kl-mab --set eta=1 beta0=1 --data true.csv": "reward",
    FLIPHAT + '{"true_sparsity":true}': "true_sparsity",
    "plot early.csv": "t = -1, no round",
    "plot half.csv": "t = 1.5, no round",
    "plot again.csv": "algorithm ftl, epsilon inf, seed 0, t 1 stands there twice",
    "plot negative.csv": "epsilon = -1, not above 0",
    "compare again.csv again.csv": "stands there twice",
    # YAML and JSON
    **{RUN.format(x): x for x in FILES if x.endswith((".yaml", ".json")) and "csv" not in x
       and x not in ("true.json", "text.json", "number.yaml", "set.yaml")},
    RUN.format("set.yaml"): "means: a set",
    RUN.format("number.yaml"): "means",
    RUN.format("true.json"): "a number",
    RUN.format("text.json"): "a number",
    RUN.format('{"means":["٣",0.5]}'): "means",
    RUN.format("{}" + "[" * 5000): "JSON",
    RUN.format(f"{LONG}.yaml"): "too long",
    "compare ok.csv other.csv": "ok.csv.json",
    # functions of others
    "audit --function fns:nothing --set data=[1e999]": "a JSON list",
    "audit --measurement opendp:geometric --set scale=1 bounds=[0,501]": "at most 500 apart",
    AUDIT + "exits:f": "exits.py:2: SystemExit: 0",
    AUDIT + "fns:leaves": "SystemExit",
    AUDIT + "fns:huge": "huge returned 1000",
    AUDIT + "fns:endless": "a strange int",
    AUDIT + "fns:odd": "a strange Odd",
    AUDIT + "fns:wordless": "wordless raised",
    AUDIT + "..:f": "--function",
    **{f"{how}fns:{x}": words for how in (
        AUDIT, "audit --noise recorded --fail --set data=[0,1] --function ") for x, words in (
        ("own", "own raised Own"), ("lines", "ValueError: two lines"),
        ("interrupted", "raised Interrupted"), ("interrupts", "raised KeyboardInterrupt"),
        ("waits", "returned <coroutine object waits"), ("nothing", "returned None"))},
    "audit --fail --learner fns:Idle": "returned <coroutine",
    **{f"audit --noise recorded --set data=[0,1] --function fns:{x}": "scale < 0"
       for x in ("negative", "cancelling", "unscaled")},
    "audit --fail --learner fns:Leaving": "Leaving raised SystemExit: 0",
    **{f"audit --noise recorded --fail --set data=[0,1] --function fns:{x}": f"{x} raised {y}"
       for x, y in (("leaves", "SystemExit: 0"), ("wordless", "Wordless"))},
    # sizes
    FLIPHAT + '{"d":1000000000}': "d = 1000000000",
    FLIPHAT + '{"arms":1000000000}': "arms = 1000000000",
    FLIPHAT + '{"d":9,"sparsity":2,"true_sparsity":1,"beta":[1e308]}': "beta",
    FLIPHAT + '{"steps_factor":1e18}': "steps_factor",
    FLIPHAT + '{"true_sparsity":100000,"d":100000,"sparsity":9}': "not enough memory",
    "simulate jdp-linucb --setting {\"d\":1000000} --epsilon 1 --horizon 9 --seeds 1 -o o.csv":
        "not enough memory",
    # nothing where something is needed, and too much
    f"{GOOD} --at @": "empty",
    "list --paper @": "empty",
    "list claims --figure @": "empty",
    "verify ok.csv --run-code --tables @": "empty",
    "audit laplace --at-epsilon @": "empty",
    **{f"{command} {'x' * 5000}": "x..." for command in (
        "list --paper", "check", "refute", "draw", "audit", "test", "new algorithm --paper hu")},
    # names for new
    **{f"new {x}": "allowed: " for x in (
        "paper class", "paper all", "paper ../x", "algorithm claims --paper hu",
        "algorithm engine --paper hu", "algorithm ../x --paper hu", "claim ../HU-Z1",
        "claim fl/HU-Z1", "study lambda --paper hu", "figure fl/x --paper hu")},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("exits", "fns"):
        sys.modules.pop(module, None)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_command_is_refused_in_one_line(command, folder, capsys, monkeypatch):
    if command.startswith(("draw", "new")):  # in a checkout, where nothing is written
        monkeypatch.chdir(ROOT)
    named = {"@": "", "empty/x": str(folder / "empty/x")}
    assert main([named.get(word, word) for word in command.split()]) == 2
    error = capsys.readouterr().err
    lines = [line for line in error.splitlines() if not line.startswith("[1/1] ")]
    assert len(lines) == 1
    assert lines[0].startswith("dpbandits: ")
    assert len(lines[0]) < 1000
    assert COMMANDS[command] in lines[0]
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert {name for name in left if "__pycache__" not in name} == set(FILES)


@pytest.mark.parametrize(
    "command",
    [
        RUN.format("pipe.json"),
        RUN.format("pipe"),
        "plot pipe",
        "compare pipe pipe",
        "verify pipe",
        "audit kl-mab --set eta=1 beta0=1 --data pipe",
        *(
            [RUN.format("/proc/kmsg"), "plot /proc/kmsg"]
            if os.access("/proc/kmsg", os.R_OK)
            else []
        ),
    ],
)
def test_what_may_never_end_is_not_read(command, folder, capsys):
    for name in ("pipe", "pipe.json"):
        os.mkfifo(folder / name)
    assert main(command.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("dpbandits: ")
    assert error.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("command", [GOOD, "plot ok.csv -o o.png"])
def test_folder_without_permission(command, folder, capsys):
    folder.chmod(0o500)
    assert main(command.split()) == 2
    assert "Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("name", [None, 3, b"ftl", ["ftl"], "f\ntl", "x" * 5000])
def test_name_that_is_no_name_from_python(name):
    with pytest.raises(InputError, match="algorithm"):
        run(name, {"means": [0.7, 0.5]}, float("inf"), 10, [0])


INF = float("inf")
LAPLACE = {"mechanism": "laplace", "sensitivity": 1}


@pytest.mark.parametrize(("question", "words"), [
    (lambda: dpbandits.audit(learner=3), "learner = 3"),
    (lambda: dpbandits.audit(measurement=3), "measurement = 3"),
    (lambda: dpbandits.audit(**LAPLACE, scale=1, at_epsilon=0.5j), "at_epsilon"),
    (lambda: dpbandits.audit(**LAPLACE, scale=1, at_alpha=None), "at_alpha"),
    (lambda: dpbandits.calibrate(**LAPLACE, target_epsilon=1, target_delta=None), "target_delta"),
    (lambda: dpbandits.learner("dp-se", arms=10**12, epsilon=1), r"needs some 4e\+05 GB"),
    (lambda: dpbandits.audit(learner="ftnl", arms=10**12), "needs some"),
    (lambda: dpbandits.audit("fliphat", d=10**9), "d = 1000000000"),
    (lambda: dpbandits.run("ftl", {"means": [0, 1]}, INF, 9**9, [0], range(1, 9**9)), "need some"),
    (lambda: dpbandits.run("ftl", {"means": [0, 1]}, INF, 10**14, [0], engine="plain"), "memory"),
    (lambda: dpbandits.run("jdp-linucb", {"d": 10**6}, 1, 9, [0]), "not enough memory"),
    (lambda: dpbandits.policy("kl-mab", ([0], [0]), eta=1, beta0=1, arms=10**12), "to 1000000"),
    (lambda: dpbandits.policy("kl-mab", (["0"], [0]), eta=1, beta0=1), "allowed: numbers"),
    (lambda: dpbandits.policy("kl-rlhf", ([[1]], [1]), eta=1, beta0=1, radius=None), "radius"),
])  # fmt: skip
def test_wrong_type_from_python(question, words):
    with pytest.raises(InputError, match=words):
        question()


@pytest.mark.parametrize("command", ["--version", "--help", "list", "audit --help"])
def test_full_disk_is_answered_whatever_is_said(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dpbandits", *command.split()], text=True, stdout=full,
            stderr=subprocess.PIPE,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "dpbandits: no space left where the output goes\n")


@pytest.mark.parametrize(("out", "code", "words"), [
    ("/dev/full", 2, "dpbandits: no space left"), ("one-round.png", 0, "")])  # fmt: skip
def test_picture_of_one_round_is_written_whole_or_refused(folder, out, code, words):
    command = [sys.executable, "-m", "dpbandits", "plot", "ok.csv", "-o", out]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (code, int(code > 0))
    assert done.stderr.startswith(words)


def test_whole_number_in_other_spellings(folder):
    assert main(f"{GOOD} --first-seed 1e3".split()) == 0
    assert (folder / "o.csv").read_text().splitlines()[1].startswith("ftl,inf,1000,")


@pytest.mark.parametrize("loaded", ["", "import numba; "])
def test_interrupt_is_one_line_and_130(loaded, tmp_path):
    """Also between compiled code, which a KeyboardInterrupt would crash: then it exits at once."""
    code = (
        "import sys, time\n"
        "from dpbandits.cli import main, listing\n"
        "from dpbandits.core.files import atomic\n"
        "def wait(options):\n"
        f"    {loaded}print('ready', flush=True)\n"
        "    with atomic('o.csv') as temporary:\n"
        "        temporary.write_text('half')\n"
        "        time.sleep(60)\n"
        "listing.list_entries = wait\n"
        "sys.exit(main(['list']))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # nohup ignores it
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    while not list(tmp_path.iterdir()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1]
    assert (process.returncode, error) == (130, "dpbandits: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_partial_file_of_a_killed_process_is_removed(tmp_path):
    from dpbandits.core.files import HOST, write_text

    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    old, alive = (tmp_path / f".a.{HOST}-{pid}.partial.csv" for pid in (done.pid, os.getppid()))
    for path in (old, alive):
        path.touch()
    write_text("x", tmp_path / "a.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", alive.name}
    ignored = ["git", "check-ignore", "--no-index", f"figures/hu/{old.name}"]
    assert subprocess.run(ignored, cwd=ROOT, capture_output=True).returncode == 0
