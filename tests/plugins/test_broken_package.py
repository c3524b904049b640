"""Mistakes of a package from outside: each costs one line with its place, and nothing else."""

import json
import os

import pytest
from outside import python
from scratch import ROOT

CHECKS = {  # a line of a check, and what is said of it
    'return Finding("holdz", {"b": 1})': "Input should be",
    'return Finding("violated", {"b": 1})': "says no severity",
    'return Finding(verdct="holds")': "unexpected keyword argument 'verdct'",
    'return Finding("holds", {"a": 1})': "[[b]]: allowed: a",
    'return Finding("holds", {"b": 1}, points=[3])': "points: allowed: tables of core.points",
    "return None": "its check returned NoneType; allowed: a Finding, or {reading: Finding}",
    "return [1]": "its check returned list; allowed: a Finding",
}  # fmt: skip
FILES = {
    "__init__.py": "from dpbandits.core.registry import Paper\n"
    "LOOKS = {'far': 900, 'same': 0, 'free': 60}\n"
    "PAPER = Paper(key='bad', title='Bad', package=__name__, looks=LOOKS)\n",
    "config/bad.yaml": "studies: {}\n",
    "claims/__init__.py": "",
    "claims/c.py": "from dpbandits.core.claims import Finding\n"
    + "".join(f"\n\ndef check_{i}(tables):\n    {line}\n" for i, line in enumerate(CHECKS))
    + "\n\ndef reads(tables):\n    return tables('other')\n",
    "figures/__init__.py": "",
    "figures/broken.py": "def broken(:\n",
    "figures/fine.py": "from dpbandits.core.figures import figure\n\n\n"
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
statement = "s"
check = "c.{function}"
[[claims.readings]]
method = "exact"
scope = "x"
measured = "[[b]]"
evidence = ["docs/proofs/BAD.md"]
"""
NAMES = {f"{i}": f"check_{i}" for i in range(len(CHECKS))} | {"R": "reads", "N": "nothing"}
CALLS = """
import contextlib, io, json, sys
from importlib.metadata import entry_points
from dpbandits.cli import main
from dpbandits.cli.contracts import problems
from dpbandits.core.registry import papers
said = {}
for words in sys.argv[1:]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words.split())
    said[words] = code, out.getvalue(), err.getvalue()
print(json.dumps([said, list(problems(papers()["bad"]))]))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package as pip installs it, under another key than it says itself."""
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
def said(package):
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{package.parent}"}
    words = ["list figures", *(f"check BAD-{name}" for name in NAMES)]
    return json.loads(python(environment, "-c", CALLS, *words))


def test_a_file_with_a_syntax_error_is_left_out_and_named(said, package):
    code, out, err = said[0]["list figures"]
    assert code == 0
    assert {"bad/fine", "hu/fig1"} <= set(out.split())
    assert err.count("\n") == 1
    assert f"badpaper.figures.broken is left out: {package}/figures/broken.py:1: SyntaxError" in err


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_check_is_one_line_with_file_and_line(name, said, package):
    lines = (package / "claims/c.py").read_text().splitlines()
    code, out, err = said[0][f"check BAD-{name}"]
    assert (code, out, err.count("\n")) == (2, "", 1)
    if name.isdigit():
        text, expected = list(CHECKS.items())[int(name)]
        near = range(lines.index(f"    {text}"), lines.index(f"    {text}") + 2)  # it, or its `def`
        assert any(f"{package}/claims/c.py:{line}: BAD-{name}" in err for line in near)
    else:
        expected = {"R": "reads table 'other'; name it in its `reads`", "N": "no such function"}[
            name
        ]
        assert f"{package}/claims.toml:" in err
    assert expected in err


def test_what_a_paper_names_must_exist(said, package):
    """`dpbandits test KEY`, before it holds what is registered to the contracts."""
    problems = said[1]
    for part in (
        "entry point 'bat'; allowed: the key 'bad'",
        "looks: 'far' = 900; allowed: 0 to 87",
        "looks: 'same' = 0 is anytime-lazy-ucb's; free: 10",
        f"{package}/bandit.py:5: 'bandit': claim 'BAD-7'; did you mean 'BAD-",
        f"{package}/figures/fine.py:4: 'bad/fine' reads table 'nowhere'",
        "evidence of 'BAD-0': there is no docs/proofs/BAD.md",
    ):
        assert sum(part in problem for problem in problems) == 1, part
    assert len(problems) == 5 + len(NAMES)


def test_our_own_papers_are_in_order():
    from dpbandits.cli.contracts import problems
    from dpbandits.core.registry import papers

    ours = [paper for paper in papers().values() if paper.package.startswith("dpbandits.")]
    assert [list(problems(paper)) for paper in ours] == [[]] * 4
