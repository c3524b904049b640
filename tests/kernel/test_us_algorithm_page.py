"""docs/algorithms/US.md quotes lines of code: each stands in its file."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| [\d-]+ \|.*\| `(.+)` \| (\w+\.py) \|$", re.MULTILINE)


def test_quoted_lines_stand_in_their_files():
    rows = ROW.findall((ROOT / "docs/algorithms/US.md").read_text())
    assert len(rows) == 12
    for code, file in rows:
        lines = (ROOT / "src/dpbandits/kernel" / file).read_text().splitlines()
        assert code in {line.strip() for line in lines}, (code, file)
