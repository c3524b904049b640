"""The workflow as a module of another one, and with its files in a storage."""

import importlib.util
import re
import shutil

import pytest
from scratch import ROOT, Project
from tiny_pipeline import run_all

pytestmark = pytest.mark.pipeline
STORAGE = importlib.util.find_spec("snakemake_storage_plugin_fs") and shutil.which("rsync")
OTHER = """
configfile: "config/config.yaml"


module dpbandits:
    snakefile:
        "{root}/Snakefile"
    config:
        config


use rule * from dpbandits as dpbandits_*


rule own:
    default_target: True
    input:
        "results/smoke/tables/hu/fig1.csv",
        "results/smoke/figures/hu/fig1.png",
    output:
        "own.txt",
    shell:
        "wc -c {{input}} > {{output}}"
"""


def test_another_workflow_imports_this_one_as_a_module(tmp_path):
    """And asks for a table and a figure of it; planned alone."""
    project = Project(tmp_path)
    other = project.write("other/Snakefile", OTHER.format(root=ROOT))
    snakefile = ("--snakefile", str(other), "--config", "scale=smoke")
    jobs = re.findall(r"^(\w+) +\d+$", project.run("--dry-run", *snakefile), re.M)
    assert {"own", "dpbandits_compile", "dpbandits_simulate", "dpbandits_draw_hu_figures"} <= {
        *jobs
    }
    assert "dpbandits_publish" not in jobs


@pytest.mark.skipif(not STORAGE, reason="needs snakemake-storage-plugin-fs and rsync")
def test_results_are_the_same_from_a_storage(whole_run, tmp_path):
    """Every input and output is in the storage; jobs see copies."""
    store, folder = tmp_path / "store", tmp_path / "run"
    store.mkdir()
    folder.mkdir()
    place = ("--default-storage-provider", "fs", "--default-storage-prefix", str(store))
    project = run_all(folder, arguments=place)
    for name in ("results/tables/hu/tiny.csv", "results/figures/claims.csv"):
        assert (store / name).read_bytes() == (whole_run.folder / name).read_bytes()
    assert (store / "results/report.html").is_file()
    assert project.files("figures/**/*.*") == whole_run.files("figures/**/*.*")
