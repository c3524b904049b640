"""docs/algorithms sets the printed algorithms beside our code: each line of code is in its file."""

import re

import pytest
from scratch import ROOT

PAGES = {  # folder, number of lines of code
    "HU": ("stochastic", 32),
    "FL": ("sparse", 29),
    "US": ("kernel", 12),
    "KL": ("offline", 16),
}
HEADING = re.compile(r"^## .*`(\S+\.py)`")
ROW = re.compile(r"^\|.*\| `(.+)` \|(?: (\S+\.py) \|)?$")


def quoted_by(page: str) -> list[tuple[str, str]]:
    """(file, line of code); the file is in the line's row of the table or in the heading above."""
    quoted, file = [], None
    for line in (ROOT / f"docs/algorithms/{page}.md").read_text(encoding="utf-8").splitlines():
        if heading := HEADING.match(line):
            file = heading[1]
        elif row := ROW.match(line):
            quoted.append((row[2] or file, row[1]))
    return quoted


def lines_of(folder: str, file: str) -> list[str]:
    text = (ROOT / "src/dpbandits" / folder / file).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_quoted_lines_are_in_their_files(page):
    folder, count = PAGES[page]
    quoted = quoted_by(page)
    assert len(quoted) == count
    for file, code in quoted:
        lines = lines_of(folder, file)
        assert code in lines or code in [line.split("  #")[0] for line in lines], (file, code)
