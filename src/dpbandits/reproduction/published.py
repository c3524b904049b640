"""Files of the project that commands show: of the current folder, else those that came with us."""

from pathlib import Path

WITH_US = Path(__file__).with_suffix("")  # of a wheel (pyproject.toml puts them there)
CHECKOUT = Path(__file__).resolve().parents[3]  # of an editable install


def published(*parts: str) -> Path:
    """The path of a file such as figures/claims.csv, which need not exist."""
    path = Path(*parts)
    places = (path, WITH_US / path, CHECKOUT / path)
    return next((place for place in places if place.exists()), path)
