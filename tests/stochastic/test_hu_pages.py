"""docs/algorithms/HU.md quotes our code: every quoted line stands in its file, in all its lines."""

import re

import pytest
from scratch import ROOT

PAGE = (ROOT / "docs/algorithms/HU.md").read_text(encoding="utf-8")
SECTIONS = {
    file: re.findall(r"^\| \d+ \| .* \| `(.*)` \|$", text, re.MULTILINE)
    for file, text in re.findall(r"^## .*: `(.*)`\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)
}


def lines_of(file):
    return [line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]


def test_page_has_the_four_printed_algorithms():
    assert [file.split("/")[-1] for file in SECTIONS] == [
        "anytime_lazy_ucb.py", "thompson.py", "lazy_dp_ts.py", "rnm_ftnl.py",
    ]  # fmt: skip
    assert [len(quoted) for quoted in SECTIONS.values()] == [15, 6, 3, 7]


@pytest.mark.parametrize("file", SECTIONS)
def test_quoted_lines_stand_in_the_file(file):
    found = lines_of(file)
    assert [line for line in SECTIONS[file] if line not in found] == []


def test_whole_of_algorithm_1_is_quoted():
    """From its first statement to its end, but for the loop over the initial pulls."""
    file = "src/dpbandits/stochastic/anytime_lazy_ucb.py"
    body = lines_of(file)
    body = body[body.index(SECTIONS[file][0]) :]
    assert set(body) - set(SECTIONS[file]) == {"for j in range(K):"}
