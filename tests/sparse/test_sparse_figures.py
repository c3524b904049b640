"""How private each preset is said to be; tests/pipeline/test_every_figure.py reads the curves."""

from pathlib import Path

from dpbandits.core.models import parse
from dpbandits.pipeline.config import PaperConfig, read_yaml
from dpbandits.sparse.figures.layout import PRIVATE, SERIES, privacy_label

CONFIG = Path(__file__).parents[2] / "config" / "fl.yaml"


def test_privacy_label_is_what_the_presets_prove():
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
                assert privacy_label(series.id) == (
                    PRIVATE if bounded else "not private: real ε = ∞"
                )
                seen.add(series.id)
    assert seen == set(SERIES)
