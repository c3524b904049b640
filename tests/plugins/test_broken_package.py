"""Mistakes in an installed package: each is reported in one line with its file and line."""

import json
import os

import pytest
from outside import call_each, python
from scratch import ROOT

CHECKS = {  # the wrong line of a check -> the message
    'return Finding("holdz", {"b": 1})': "Input should be",
    'return Finding("violated", {"b": 1})': "says no severity",
    'return Finding(verdct="holds")': "unexpected keyword argument 'verdct'",
    'return Finding("holds", {"a": 1})': "[[b]]: allowed: a",
    'return Finding("holds", {"b": 1}, points=[3])': "points: allowed: tables of ledger.points",
    "return None": "its check returned NoneType; allowed: a Finding, or {reading: Finding}",
    "return [1]": "its check returned list; allowed: a Finding",
}  # fmt: skip
FILES = {
    "__init__.py": "from dpbandits.core.registry import Paper\n"
    "LOOKS = {'far': 900, 'same': 0, 'free': 60}\n"
    "PAPER = Paper(key='bad', title='Bad', package=__name__, looks=LOOKS)\n",
    "config/bad.yaml": "studies: {}\n",
    "claims/__init__.py": "",
    "claims/c.py": "from dpbandits.reproduction.ledger.claims import Finding\n"
    + "".join(f"\n\ndef check_{i}(tables):\n    {line}\n" for i, line in enumerate(CHECKS))
    + "\n\ndef reads(tables):\n    return tables('other')\n",
    "figures/__init__.py": "",
    "figures/broken.py": "def broken(:\n",
    "figures/fine.py": "from dpbandits.reproduction.plots.figures import figure\n\n\n"
    "@figure('bad/fine', title='t', alt='a', reads=('nowhere',))\ndef fine(tables):\n    pass\n",
    "bandit.py": "from dpbandits.core.algorithms import algorithm\n"
    "from dpbandits.stochastic.problem import StochasticSetting\n\n\n"
    "@algorithm('bandit', setting=StochasticSetting, source='s', claim='BAD-7')\n"
    "def simulate(*_):\n    pass\n",
}
CLAIM = """
[[claims]]
id = "BAD-{name}"
where = "Theorem"
statement = '$\\wrong$'
check = "claims/c.py::{function}"
[[claims.readings]]
method = "exact"
scope = "x"
measured = "[[b]]"
evidence = ["docs/proofs/BAD.md"]
"""
NAMES = {f"{i}": f"check_{i}" for i in range(len(CHECKS))} | {"R": "reads", "N": "nothing"}
PROBLEMS = """
import json
from dpbandits.cli.contracts import problems
from dpbandits.core.registry import papers
print(json.dumps(list(problems(papers()["bad"]))))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package as pip installs it, with an entry point of another name than its key."""
    site = tmp_path_factory.mktemp("site")
    files = {f"badpaper/{name}": text for name, text in FILES.items()} | {
        "badpaper/claims.toml": "".join(CLAIM.format(name=n, function=f) for n, f in NAMES.items()),
        "badpaper-0.dist-info/METADATA": "Metadata-Version: 2.1\nName: badpaper\nVersion: 0\n",
        "badpaper-0.dist-info/entry_points.txt": "[dpbandits.papers]\nbat = badpaper\n",
    }
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return site / "badpaper"


@pytest.fixture(scope="module")
def environment(package):
    return os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{package.parent}"}


@pytest.fixture(scope="module")
def results(environment):
    return call_each(environment, "list figures", *(f"check BAD-{name}" for name in NAMES))


def test_file_with_a_syntax_error_is_left_out_and_reported(results, package):
    code, out, err = results["list figures"]
    assert code == 0
    assert {"bad/fine", "hu/fig1"} <= set(out.split())
    assert err.count("\n") == 1
    assert f"badpaper.figures.broken is left out: {package}/figures/broken.py:1: SyntaxError" in err


@pytest.mark.parametrize("name", NAMES)
def test_wrong_check_is_reported_with_file_and_line(name, results, package):
    lines = (package / "claims/c.py").read_text().splitlines()
    code, out, err = results[f"check BAD-{name}"]
    assert (code, out, err.count("\n")) == (2, "", 1)
    if name.isdigit():
        text, expected = list(CHECKS.items())[int(name)]
        number = lines.index(f"    {text}") + 1
        places = [f"{package}/claims/c.py:{line}: BAD-{name}" for line in (number - 1, number)]
        assert any(place in err for place in places)  # at the `def`, or at the line after it
    else:
        messages = {"R": "reads table 'other'; name it in its `reads`", "N": "no such function"}
        expected = messages[name]
        assert f"{package}/claims.toml:" in err
    assert expected in err


def test_problems_of_a_package(environment, package):
    """What `dpbandits test KEY` prints first."""
    problems = json.loads(python(environment, "-c", PROBLEMS))
    for part in (
        "entry point 'bat'; allowed: the key 'bad'",
        "looks: 'far' = 900; allowed: 0 to 87",
        "looks: 'same' = 0 is anytime-lazy-ucb's; free: 10",
        f"{package}/bandit.py:5: 'bandit': claim 'BAD-7'; did you mean 'BAD-",
        f"{package}/figures/fine.py:4: 'bad/fine' reads table 'nowhere'",
        "evidence of 'BAD-0': there is no docs/proofs/BAD.md",
        "figure bad/fine (badpaper.figures.fine): there is no notebook",
        "'BAD-0': TeX command '\\wrong' is not known",
    ):
        assert sum(part in problem for problem in problems) == 1, part
    assert len(problems) == 6 + 2 * len(NAMES)


def test_our_own_papers_have_no_problems():
    from dpbandits.cli.contracts import problems
    from dpbandits.core.registry import papers

    ours = [paper for paper in papers().values() if paper.package.startswith("dpbandits.")]
    assert [list(problems(paper)) for paper in ours] == [[]] * 4
