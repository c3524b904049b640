"""The archive of a real run: a valid RO-Crate whose files sha256sum checks."""

import json
import os
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from scratch import ROOT

from dpbandits.core.errors import InputError
from dpbandits.reproduction.pipeline import archive

pytestmark = pytest.mark.pipeline
SCHEMA = """
about contentSize datePublished description hasPart license mainEntity name
programmingLanguage url version ComputerLanguage CreativeWork Dataset SoftwareSourceCode
"""
CONTEXT = {  # what RO-Crate's own context, which is not here offline, says of the terms in use
    **{term: f"http://schema.org/{term}" for term in SCHEMA.split()},
    "File": "http://schema.org/MediaObject",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "Profile": "http://www.w3.org/ns/dx/prof/Profile",
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "sha256": "https://w3id.org/ro/terms/workflow-run#sha256",
}


@pytest.fixture(scope="module")
def project(whole_run, tmp_path_factory):
    project = whole_run.copied(tmp_path_factory.mktemp("archive"))
    project.write(".gitignore", "results/\n.snakemake/\n.venv\n__pycache__/\n")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for step in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *step], cwd=project.folder, check=True)
    return project


def written(project) -> Path:
    """The archive, written where the run was."""
    before = os.getcwd()
    os.chdir(project.folder)
    try:
        config = yaml.safe_load(Path("config/config.yaml").read_text())
        archive.write(Path("results"), config, "results/archive.zip")
    finally:
        os.chdir(before)
    return project.folder / "results/archive.zip"


def issues(path: Path, crate: dict, profile: str) -> list[str]:
    """What a validator finds in the crate, by what the profile requires."""
    from rocrate_validator.models import Severity, ValidationSettings
    from rocrate_validator.services import validate

    path.write_text(json.dumps(crate | {"@context": CONTEXT}))
    settings = {"rocrate_uri": str(path.parent), "profile_identifier": profile}
    settings |= {"requirement_severity": Severity.REQUIRED, "cache_path": path.parent / "http"}
    result = validate(ValidationSettings(**settings, offline=True))
    return [issue.message for issue in result.get_issues(Severity.REQUIRED)]


def test_archive_is_a_crate_and_its_files_are_as_listed(project, tmp_path):
    ZipFile(written(project)).extractall(tmp_path)
    check = ["sha256sum", "--check", "--quiet", "--strict", "manifest-sha256.txt"]
    assert subprocess.run(check, cwd=tmp_path, check=False).returncode == 0
    listed = (tmp_path / "manifest-sha256.txt").read_text().splitlines()
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert {line.split("  ", 1)[1] for line in listed} == files - {"manifest-sha256.txt"}
    assert {"results/report.html", "results/tables/hu/tiny.csv", "code/Snakefile"} <= files
    path = tmp_path / archive.METADATA
    crate = json.loads(path.read_text())
    terms = {key for entity in crate["@graph"] for key in entity if not key.startswith("@")}
    assert terms <= CONTEXT.keys()
    assert crate["@context"][0] == f"{archive.SPECIFICATION}/context"
    (issue,) = issues(path, crate, "ro-crate-1.3")
    assert "does not reference the required context" in issue  # CONTEXT stands in its place
    about = crate["@graph"][0]  # the profile of workflows is written for 1.1
    about["conformsTo"] = [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": archive.PROFILE}]
    assert issues(path, crate, "workflow-ro-crate") == []
    (tmp_path / "results/report.html").write_text("changed")
    assert subprocess.run(check, cwd=tmp_path, check=False, capture_output=True).returncode == 1


def test_archive_of_changed_code_is_refused(project):
    project.write(
        "config/config.yaml", "# changed\n" + Path(ROOT, "config/config.yaml").read_text()
    )
    with pytest.raises(InputError, match="commit first"):
        written(project)
