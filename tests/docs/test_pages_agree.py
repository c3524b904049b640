"""Pages do not contradict each other, nor the code that they name."""

import re
from pathlib import Path

from scratch import ROOT

from dpbandits import reproduction
from dpbandits.reproduction.report.promised import rows as promised


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_the_package_names_folders_that_exist():
    named = set(re.findall(r"`(\w+)`", reproduction.__doc__))
    folders = {path.name for path in Path(reproduction.__file__).parent.iterdir()}
    assert named <= folders


def test_one_bandit_is_recommended_first():
    """The first one of which.md is what the appendix audits as recommended."""
    best = re.search(r"K arms, .*?\[`([\w-]+)`\]", page("docs/which.md"))[1]
    (line,) = re.findall(r"The recommended algorithms keep.*", page("ARTIFACT-APPENDIX.md"))
    assert f"--learner {best}" in line


def test_the_picture_of_promises_says_what_each_learner_sees():
    """RNM-FTNL sees all rewards: it is for experts, not for bandits."""
    assert {kind for kind, name, *_ in promised() if "RNM-FTNL" in name} == {"experts"}


def test_trust_says_who_read_the_proofs_as_which_promises():
    assert "trust.md) says who read" in page("docs/which.md")
    assert "nobody outside has refereed them" in page("docs/trust.md")


def test_no_page_says_that_published_points_stand_beside_ours():
    """They stand in one picture."""
    for name in ("README.md", "docs/index.md", "codecheck.yml"):
        assert "published figures beside ours" not in page(name)
        assert "published panels beside ours" not in page(name)
