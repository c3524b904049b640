"""FL's figures: no curve with an epsilon without what that epsilon is worth."""

from pathlib import Path

import pandas as pd
import pytest

from dpbandits.core.models import parse
from dpbandits.pipeline.config import PaperConfig, read_yaml
from dpbandits.pipeline.figures import figures
from dpbandits.sparse.figures.layout import CERTIFIED, NOT_PRIVATE, PRIVATE, SERIES, worth

GOLDEN = Path(__file__).parents[1] / "golden" / "fl"
CONFIG = Path(__file__).parents[2] / "config" / "fl.yaml"
DRAWN = [name for name in figures() if name.startswith("fl/") and "claims" not in name]


def words(ax) -> str:
    """All that stands at a panel: titles, legend, labels."""
    legend = ax.get_legend()
    texts = [ax.get_title(), ax.figure.get_suptitle()]
    if legend:
        texts += [legend.get_title().get_text(), *(t.get_text() for t in legend.get_texts())]
    return " ".join(texts)


@pytest.mark.parametrize("name", DRAWN)
def test_every_curve_with_an_epsilon_says_what_it_is_worth(name):
    drawing = figures()[name].make(lambda table: pd.read_csv(GOLDEN / f"{table}.csv"))
    all_words = " ".join(words(ax) for ax in drawing.figure.axes)
    for ax in drawing.figure.axes:
        curves = [line for line in ax.lines if str(line.get_label()).startswith("ε = ")]
        curves = [line for line in curves if "inf, M" not in line.get_label()]
        said = words(ax) if PRIVATE in words(ax) or NOT_PRIVATE in words(ax) else all_words
        assert not curves or (PRIVATE in said) != (NOT_PRIVATE in said), (name, said)
        for line in curves:
            assert line.get_linestyle() == ("-" if PRIVATE in said else "--"), name


def test_worth_is_what_the_presets_prove():
    """Those are certified whose contexts are clipped, or of which signs alone are read."""
    config = parse(PaperConfig, read_yaml(CONFIG), "fl")
    seen = set()
    for experiment in config.experiments.values():
        for series in experiment.algorithms:
            if series.id in SERIES:
                bounded = series.name == "dp-signs" or series.with_.get("preset") in (
                    "corrected",
                    "zcdp",
                )
                assert (series.id in CERTIFIED) == bounded
                assert worth(series.id) == (PRIVATE if bounded else NOT_PRIVATE)
                seen.add(series.id)
    assert seen == set(SERIES)
