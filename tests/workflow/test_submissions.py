"""On a cluster, the paper scale takes few submissions: counted in a dry run, no SLURM needed."""

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
    assert set(alone) <= {"all"}  # a dry run says so of its target, which has nothing to do
    assert len(groups) <= AT_MOST, f"{len(groups)} submissions: pack more in group-components"
