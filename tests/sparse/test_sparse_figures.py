"""What the epsilon of a preset is worth; tests/pipeline/test_every_figure.py reads the curves."""

from pathlib import Path

from dpbandits.core.models import parse
from dpbandits.pipeline.config import PaperConfig, read_yaml
from dpbandits.sparse.figures.layout import PRIVATE, SERIES, worth

CONFIG = Path(__file__).parents[2] / "config" / "fl.yaml"


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
                assert worth(series.id) == (PRIVATE if bounded else "not private: real ε = ∞")
                seen.add(series.id)
    assert seen == set(SERIES)
