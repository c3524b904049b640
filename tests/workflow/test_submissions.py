"""What dry runs plan: few submissions on a cluster, and the same jobs from both Snakefiles."""

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


def test_catalogues_snakefile_runs_the_same_jobs(tmp_path):
    project = Project(tmp_path)
    jobs = r"^(\w+) +\d+$"
    top, below = (
        re.findall(jobs, project.run("--dry-run", "--config", "scale=smoke", *arguments), re.M)
        for arguments in ((), ("--snakefile", "workflow/Snakefile"))
    )
    assert "publish" in top
    assert [job.replace("run_all", "all") for job in below] == top
