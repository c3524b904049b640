"""What the workflow has made and may be taken, told without importing the library.

Of what every output should be made follows from the sources, the config and the lock alone; it is
remembered under their hash (core.sources), and the seals say of what each was made.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpbandits.core.files import content, read_rows, read_seal
from dpbandits.core.sources import hash_of, remembered
from dpbandits.pipeline import CONFIG

Made = dict[str, tuple[str, list[str]]]  # output -> (digest of its recipe, its inputs)


def wanted(
    paper: str, scale: str | None = None, find: Callable[[], Any] | None = None
) -> tuple[str, Made]:
    """The folder of results, and of what those of a paper should be made: for the checkout in the
    current folder as it stands, at the config's scale or another."""

    def key() -> str:
        files = (*sorted(CONFIG.parent.glob("*.yaml")), Path("envs/requirements.lock"))
        scripts = sorted(Path("workflow/scripts").glob("*.py"))
        return hash_of(os.getcwd(), scale, files=(*files, *scripts))

    return remembered(f"recipes-{paper}", key, find or (lambda: _found(paper, scale)))


def _found(paper: str, scale: str | None) -> tuple[str, Made]:
    from dpbandits.pipeline import recipes
    from dpbandits.pipeline.plan import load_plan

    plan = load_plan(scale, paper)
    return plan.places.results, recipes.described(plan, recipes.wanted(plan, [paper]))


def is_up_to_date(path: str, made: Made) -> bool:
    """Is an output there, made by the recipe that it should have, of inputs of which that is true?

    Whoever reads it checks that its content is the one that was sealed.
    """
    seal, (recipe, inputs) = read_seal(path), made[path]
    if seal is None or not Path(path).is_file():
        return False
    if seal["recipe"] != recipe or sorted(seal["inputs"]) != sorted(inputs):
        return False
    return all(
        is_up_to_date(name, made) and read_seal(name)["content"] == seal["inputs"][name]
        for name in inputs
    )


def verdicts(paper: str) -> list[dict[str, str]] | None:
    """The rows of a paper's claims; None if they are not up to date, or this is no checkout."""
    if not CONFIG.is_file():
        return None
    results, made = wanted(paper)
    path = f"{results}/claims/{paper}/verdicts.csv"
    if path not in made or not is_up_to_date(path, made):
        return None
    return read_rows(path) if content(path) == read_seal(path)["content"] else None
