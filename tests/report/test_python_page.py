"""The page on the Python API says what works: its code that needs no results is run."""

import re

import pytest
from scratch import ROOT

PAGE = (ROOT / "docs/python-api.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("part", ["Simulate", "Audits"])
def test_code_of_the_page_runs(part):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PARTS[part], re.DOTALL):
        exec(compile(block, f"python-api.md, {part}", "exec"), names)
    if part == "Simulate":
        assert names["result"].regret.shape[0] == 20
        assert len(names["frame"]) >= 20
    else:
        assert 0 < names["loss"].pure_epsilon <= 2 / 2  # at most 2 / scale, by the usual argument


def test_every_name_that_the_page_imports_exists():
    imports = re.findall(r"^(from dpbandits\S* import .*)$", PAGE, re.MULTILINE)
    assert len(imports) > 8
    for line in imports:
        exec(line)
