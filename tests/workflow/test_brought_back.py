"""Published files that are edited or lost are brought back by the next run, and nothing else is."""

import re

import pytest

pytestmark = pytest.mark.pipeline


def test_an_edited_and_a_lost_figure(whole_run, tmp_path):
    project = whole_run.copied(tmp_path)
    before = project.files("figures/hu/*.*")
    own = {f"figures/hu/{name}" for name in ("narrow", "wide")}
    assert set(before) == {
        f"{name}.{form}" for name in own for form in ("pdf", "png", "csv", "txt")
    }
    (project.folder / "figures/hu/wide.png").unlink()
    (project.folder / "figures/hu/wide.csv").write_text("edited")
    output = project.run("--cores", "1", "publish")
    assert "figures/hu/wide.csv is no longer what it was made of" in output
    assert project.files("figures/hu/*.*") == before
    assert set(re.findall(r"Job \d+: (\w+)", output)) == {"Compare"}
    assert "Nothing to be done" in project.run("--cores", "1", "publish")
