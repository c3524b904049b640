"""On a cluster the paper scale needs few submissions, as a dry run without SLURM shows."""

import re

import pytest
from scratch import Project

pytestmark = pytest.mark.pipeline
AT_MOST = 49


def test_paper_scale_takes_few_submissions(tmp_path):
    project = Project(tmp_path)
    output = project.run("--profile", "workflow/profiles/slurm", "--dry-run")
    groups = re.findall(r"^\[.*\] Group job (\w+)", output, re.M)
    alone = re.findall(r"^rule (\w+):", output, re.M)  # neither local nor in a group
    assert groups
    assert set(alone) <= {"all"}  # which has nothing to do
    assert len(groups) <= AT_MOST, f"{len(groups)} submissions: pack more in group-components"
