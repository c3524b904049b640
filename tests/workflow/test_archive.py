"""The archive of a real run: a valid RO-Crate, from which a table can be computed again.

Its content by hand, and damage: tests/reproduction/pipeline/test_archive_by_hand.py.
"""

import json
import os
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.services import validate
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline import archive
from dpbandits.reproduction.pipeline.plan import Plan

pytestmark = pytest.mark.pipeline
SCHEMA = """
about additionalType contentSize datePublished description encodingFormat endTime exampleOfWork
hasPart instrument license mainEntity mentions name object programmingLanguage result startTime url
value version workExample ComputerLanguage CreateAction CreativeWork Dataset PropertyValue
SoftwareSourceCode
"""
CONTEXT = {  # what RO-Crate's own context, which is not here offline, says of the terms in use
    **{term: f"http://schema.org/{term}" for term in SCHEMA.split()},
    "File": "http://schema.org/MediaObject",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    **archive.TERMS,
}


@pytest.fixture(scope="module")
def project(whole_run, tmp_path_factory):
    project = whole_run.copied(tmp_path_factory.mktemp("archive"))
    project.write(".gitignore", "results/\n.snakemake/\n.venv\n__pycache__/\n")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for step in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *step], cwd=project.folder, check=True)
    return project


@pytest.fixture(scope="module")
def made(project):
    """The archive, written where the run was."""
    before = os.getcwd()
    os.chdir(project.folder)
    try:
        config = yaml.safe_load(Path("config/config.yaml").read_text())
        archive.write(Plan(config), config, "results/archive.zip")
    finally:
        os.chdir(before)
    return project.folder / "results/archive.zip"


def test_crate_is_valid(made, tmp_path):
    ZipFile(made).extractall(tmp_path)
    path = tmp_path / archive.METADATA
    crate = json.loads(path.read_text())
    terms = {key for entity in crate["@graph"] for key in entity if not key.startswith("@")}
    assert terms <= CONTEXT.keys()
    path.write_text(json.dumps(crate | {"@context": CONTEXT}))
    settings = {"rocrate_uri": str(tmp_path), "profile_identifier": "workflow-run-crate"}
    settings |= {"requirement_severity": Severity.REQUIRED, "cache_path": tmp_path / "http"}
    result = validate(ValidationSettings(**settings, offline=True))
    assert [issue.message for issue in result.get_issues(Severity.REQUIRED)] == []
    root = next(entity for entity in crate["@graph"] if entity["@id"] == "./")
    del root["license"]
    path.write_text(json.dumps(crate | {"@context": CONTEXT}))
    assert not validate(ValidationSettings(**settings, offline=True)).passed()


def test_verify_computes_a_table_again(made, capsys):
    assert main(["verify", str(made), "--run-code"]) == 0
    output = capsys.readouterr().out
    assert "all as described" in output
    assert "made from scratch, equal: results/tables/hu/" in output


def test_wrong_arguments_of_verify(made, capsys):
    for call in (["x.zip"], [str(made), "--tables", "hu/fig9"], [str(made), "--cores", "0"]):
        assert main(["verify", *call]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_citation_and_codecheck_files():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()  # needed by its schema
    assert cited["cff-version"] == "1.2.0"
    assert len(cited["references"]) == len(papers())
    for reference in cited["references"]:
        assert {"type", "title", "authors"} <= reference.keys()
    text = (ROOT / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    check = yaml.safe_load(text)
    assert check["paper"]["title"] == cited["title"]
    files = [entry["file"] for entry in check["manifest"]]
    assert len(set(files)) == len(files) > 0
    assert all((ROOT / file).is_file() for file in files)
