"""Broken packages of others, all installed at once: each is reported in one line that names it, and
everything else works. To try another one, add its files to PACKAGES.
"""

import os
import subprocess
import sys

import pytest
from outside import call_each
from scratch import ROOT

PAPER = "from dpbandits.core.registry import Paper\nPAPER = Paper({arguments})\n"
CLAIM = """[[claims]]
id = "{id}"
where = "T"
statement = "s"
check = "c.f"
[[claims.readings]]
{reading}
"""
READING = 'method = "exact"\nscope = "x"\nmeasured = "x"'
ALGORITHM = """from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import StochasticSetting


@algorithm({arguments})
def simulate(*_):
    pass
"""
MECHANISM = """from dpbandits.core.mechanisms import mechanism
from dpbandits.core.models import Model


@mechanism('KEY-m', params=Model)
def audit(params, at_epsilon):
    1 / 0
"""


def init(**changes):
    arguments = {"key": "KEY", "title": "'t'", "package": "__name__"} | changes
    text = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return {"__init__.py": PAPER.format(arguments=text)}


def paper(**files):
    """A sound package with these files, of which `_` stands for `/` and a last `__` for `.`."""
    return init() | {"config/KEY.yaml": "{}"} | files


def with_algorithm(arguments):
    return paper() | {"a.py": ALGORITHM.format(arguments=arguments)}


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 30))
PACKAGES = {  # files of a package -> what its line says
    "PAPER is a text": ({"__init__.py": "PAPER = 'x'\n"}, "PAPER is a str"),
    "PAPER is a class": ({"__init__.py": "class PAPER:\n    key = 'x'\n"}, "PAPER is a type"),
    "PAPER cannot be asked for": ({"__init__.py": "def __getattr__(n):\n    1 / 0\n"}, None),
    "key None": (init(key=None), "small letters"),
    "key of no letters": (init(key="''"), "small letters"),
    "key in capitals": (init(key="'ZZ'"), "small letters"),
    "key that is a path": (init(key="'a/b'"), "small letters"),
    "key of HU": (init(key="'hu'"), "'hu' comes from"),
    "title None": (init(title=None), "small letters"),
    "order a text": (init(order="'1'"), "order"),
    "looks a list": (init(looks="[1]"), "looks"),
    "looks of texts": (init(looks="{'a': 'b'}"), "looks"),
    "package of others": (init(package="'json'"), "package = 'json'"),
    "package that is not there": (init(package="__name__ + '.x'"), "no package"),
    "half that is not there": (init(reproduction="'nowhere'"), "no package 'nowhere'"),
    "exits": ({"__init__.py": "import sys\nsys.exit(0)\n"}, "SystemExit: 0"),
    "interrupts": ({"__init__.py": "raise KeyboardInterrupt\n"}, ":1: KeyboardInterrupt"),
    "raises": ({"__init__.py": "1 / 0\n"}, "__init__.py:1: ZeroDivisionError"),
    "syntax error": ({"__init__.py": "def (\n"}, "__init__.py:1: SyntaxError"),
    "calls itself": ({"__init__.py": "def f():\n    f()\nf()\n"}, "RecursionError"),
    "error without words": ({"__init__.py": "class E(Exception):\n    def __str__(self):\n"
                             "        1 / 0\nraise E\n"}, "__init__.py:4: E"),
    "binary": ({"__init__.py": "\0\1"}, "null bytes"),
    "claims no TOML": (paper(**{"claims.toml": "x = ["}), "not valid TOML"),
    "claims binary": (paper(**{"claims.toml": b"\xff\xfe"}), "cannot be read"),
    "claims a number": (paper(**{"claims.toml": "claims = 3"}), "allowed: blocks"),
    "claims deep": (paper(**{"claims.toml": "claims = " + "[" * 10**5}), "TOML"),
    "claim twice": (paper(**{"claims.toml": 2 * CLAIM.format(id="NAME-1", reading=READING)}),
                    "stands twice"),
    "claim of HU": (paper(**{"claims.toml": CLAIM.format(id="HU-ZZ", reading=READING)}), "HU-ZZ"),
    "claim without method": (paper(**{"claims.toml": CLAIM.format(id="NAME-1", reading="x = 1")}),
                             "-1: readings.0"),
    "no config": (init(), "no such file"),
    "config a bomb": (paper(**{"config/KEY.yaml": BOMB}), "aliases written out"),
    "config deep": (paper(**{"config/KEY.yaml": "[" * 10**5}), "levels"),
    "config a list": (paper(**{"config/KEY.yaml": "[1]"}), "expected key-value pairs"),
    "config with a key twice": (paper(**{"config/KEY.yaml": "studies: {}\nstudies: {}"}), "twice"),
    "algorithm without setting": (with_algorithm("'KEY-a', setting=3, source='s'"), "pydantic"),
    "algorithm without name": (with_algorithm("'', setting=StochasticSetting, source='s'"),
                               "without spaces"),
    "algorithm of a taken name": (with_algorithm("'dp-se', setting=StochasticSetting, source='s'"),
                                  "registered twice"),
    "claim of an algorithm a number": (
        with_algorithm("'KEY-a', setting=StochasticSetting, source='s', claim=3"), "claim"),
    "algorithm exits": (paper(**{"a.py": "raise SystemExit\n"}), "a.py:1: SystemExit"),
    "study without params": (paper(**{"studies/s.py": "from dpbandits.reproduction.studies import"
                              " study\nstudy('KEY/s', params=3)(print)\n"}), "s.py:2"),
    "figure that reads a text": (paper(**{"figures/f.py": "from dpbandits.reproduction.plots."
                                  "figures import figure\nfigure('KEY/f', reads='x', title='t',"
                                  " alt='a')(print)\n"}), "f.py:2"),
    "mechanism without params": (paper(**{"mechanisms/m.py": "from dpbandits.core.mechanisms "
                                  "import mechanism\nmechanism('KEY-m', params=None)(print)\n"}),
                                 "m.py:2"),
    "mechanisms that raise": (paper(**{"mechanisms/__init__.py": "1 / 0\n", "mechanisms/m.py": ""}),
                              "__init__.py:1: ZeroDivisionError"),
    "raises what is no Exception": ({"__init__.py": "class E(BaseException):\n    pass\nraise E\n"},
                                    "__init__.py:3: E"),
    "algorithm that exits when it runs": (paper(**{"run.py": ALGORITHM.format(
        arguments="'KEY-run', setting=StochasticSetting, source='s'").replace(
        "pass", "raise SystemExit(0)")}), None),
    "algorithm of other arguments": (paper(**{"run.py": ALGORITHM.format(
        arguments="'KEY-run', setting=StochasticSetting, source='s'").replace("*_", "setting")}),
        None),
    "mechanism that answers with a number": (paper(**{"mechanisms/__init__.py": "",
        "mechanisms/m.py": MECHANISM.replace("1 / 0", "return 7")}), None),
    "mechanism without its file": (paper(**{"mechanisms/__init__.py": "", "mechanisms/m.py":
        MECHANISM.replace("1 / 0", "open('/nowhere/x')")}), None),
    "mechanism that fails when it is asked": (
        paper(**{"mechanisms/__init__.py": "", "mechanisms/m.py": MECHANISM}), None),
}  # fmt: skip
KEYS = {name: f"bad{number}" for number, name in enumerate(PACKAGES)}
COMMANDS = (
    *(f"list {kind}" for kind in ("algorithms", "claims", "figures", "mechanisms", "studies")),
    "check US-A2.8",
    "simulate dp-se --setting {SETTING} --epsilon 1 --horizon 10 --seeds 2 --output OUT",
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the commands answer with all packages, and without any."""
    site = tmp_path_factory.mktemp("site")
    points = "zz = !!!\nnothing =\nnowhere = nowhere\n"
    for name, (files, _) in PACKAGES.items():
        key = KEYS[name]
        for path, content in files.items():
            file = site / key / path.replace("KEY", key)
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                text = content.replace("KEY", key if "'KEY" in content else f"'{key}'")
                content = text.replace("NAME", key.upper()).encode()
            file.write_bytes(content)
        points += f"{key} = {key}\n"
    info = site / "bad-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[dpbandits.papers]\n{points}")
    setting = site / "setting.json"
    setting.write_text('{"means": [0.7, 0.5]}')
    commands = [
        c.replace("{SETTING}", str(setting)).replace("OUT", f"{site}/o.csv") for c in COMMANDS
    ]
    plain = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    broken = plain | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{site}"}
    return call_each(plain, *commands), call_each(broken, *commands), broken


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_everything_else_works(answers, number):
    plain, broken = (list(answer.values())[number] for answer in answers[:2])
    assert broken[0] == plain[0] == 0
    assert set(plain[1].splitlines()) <= set(broken[1].splitlines())


@pytest.mark.parametrize("name", PACKAGES)
def test_broken_package_is_reported_in_one_line(answers, name):
    words = PACKAGES[name][1]
    errors = "".join(answer[2] for answer in answers[1].values())
    lines = [line for line in errors.splitlines() if f"{KEYS[name]}" in line.split(": allowed")[0]]
    own = [line for line in lines if KEYS[name] in line.replace("/", " ").replace("'", " ")
           .replace(".", " ").replace(":", " ").split()]  # fmt: skip
    assert len(own) == (0 if words is None else 1), own
    assert words is None or words in own[0]


def test_entry_points_of_no_package_are_reported(answers):
    errors = "".join(answer[2] for answer in answers[1].values())
    assert "bad: entry point zz = !!!" in errors
    ours = ("dpbandits: ", "[1/1] ", "dp-se at epsilon 1: ")
    assert all(line.startswith(ours) for line in errors.splitlines())


@pytest.mark.parametrize(
    ("name", "words"),
    [("no config", "no such file"), ("claim twice", "stands twice"), ("exits", "allowed: ")],
)
def test_test_says_what_is_wrong(answers, name, words):
    command = [sys.executable, "-m", "dpbandits", "test", KEYS[name]]
    done = subprocess.run(command, env=answers[2], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (1, 2)
    assert words in done.stdout + done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "command", "words"),
    [
        ("algorithm that exits when it runs", "simulate KEY-run --setting {SETTING} --horizon 9 "
         "--seeds 1 -o OUT", "run.py:7: SystemExit: 0"),
        ("mechanism that fails when it is asked", "audit KEY-m", "m.py:7: ZeroDivisionError"),
        ("mechanism that answers with a number", "audit KEY-m", "m.py:5: returned int"),
        ("mechanism without its file", "audit KEY-m", "m.py:7: FileNotFoundError"),
        ("algorithm of other arguments", "simulate KEY-run --setting {SETTING} --horizon 9 "
         "--seeds 1 -o OUT", "allowed: a function of setting, epsilon, horizon"),
    ],
)  # fmt: skip
def test_code_that_fails_when_it_runs_is_named_in_one_line(answers, tmp_path, name, command, words):
    setting, out = tmp_path / "setting.json", tmp_path / "out.csv"
    setting.write_text('{"means": [0.7, 0.5]}')
    named = command.replace("KEY", KEYS[name]).replace("{SETTING}", str(setting))
    command = [sys.executable, "-m", "dpbandits", *named.replace("OUT", str(out)).split()]
    done = subprocess.run(command, env=answers[2], capture_output=True, text=True)
    assert done.returncode == 2
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not out.exists()
