"""Write environment.yaml for conda users: what pyproject.toml asks for, at the lock's versions."""

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIP_ONLY = {"uv"}  # only `make lock` needs it, which writes the pip lock
FROM_PYPI = ("roc-validator", "opendp", "properdocs", "properdocs-theme-readthedocs")
CONDA_NAMES = {"snakemake": "snakemake-minimal", "matplotlib": "matplotlib-base"}
CONDA_CHANNELS = ("conda-forge", "bioconda")  # Snakemake and its plugins live in bioconda


def asked() -> list[str]:
    """The names in pyproject.toml: of the package with its extras, then for development."""
    whole = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    own, extras = whole["project"], whole["project"]["optional-dependencies"]
    asked = [*own["dependencies"], *extras["simulate"], *extras["reproduction"]]
    names = [re.match("[a-z0-9-]+", text)[0] for text in asked + whole["dependency-groups"]["dev"]]
    return [name for name in names if name != own["name"]]


def locked() -> dict[str, str]:
    text = (HERE / "requirements.lock").read_text()
    return dict(re.findall(r"^([a-z0-9_.-]+)==([^\s;\\]+)", text, flags=re.MULTILINE))


def environment() -> str:
    versions = locked()
    names = [name for name in asked() if name not in PIP_ONLY]
    pins = [
        f"  - {CONDA_NAMES.get(name, name)}=={versions[name]}"
        for name in names
        if name not in FROM_PYPI
    ]
    return "\n".join(
        [
            "# Written by `make lock` from requirements.lock; do not edit.",
            "#   conda env create -f envs/environment.yaml && conda activate dpbandits",
            "#   pip install --no-deps --no-build-isolation --editable .",
            "name: dpbandits",
            "channels:",
            *[f"  - {channel}" for channel in CONDA_CHANNELS],
            "dependencies:",
            "  - python>=3.11,<3.14",
            *pins,
            "  - pip:",
            *[f"      - {name}=={versions[name]}" for name in FROM_PYPI],
            "",
        ]
    )


if __name__ == "__main__":
    (HERE / "environment.yaml").write_text(environment())
