"""What a study takes by itself: the paper scale's values, or cheaper ones, named here."""

import pytest
import yaml
from scratch import ROOT

from dpbandits.core.algorithms import STUDIES

OTHERS = {
    "us/estimation_error": {"runs": 8},
    "us/spectral": {"runs": 8, "delta": 0.1},
    "us/privacy": {"runs": 8},
    "kl/tightness": {"rounds": 20, "kept": 10},
    "kl/utility_vs_privacy": {"n": 200, "gap": 0.1, "draws": 20},
    "kl/choice": {"levels": 20, "draws": 5},
}
CONFIGURED = [
    (f"{paper}/{name}", entry)
    for paper in ("hu", "fl", "us", "kl")
    for name, entry in yaml.safe_load((ROOT / f"config/{paper}.yaml").read_text())[
        "studies"
    ].items()
]


@pytest.mark.parametrize(("name", "entry"), CONFIGURED, ids=lambda value: str(value)[:30])
def test_defaults_are_the_configured_values_but_for_those_named(name, entry):
    given = entry.get("params", {})
    model = STUDIES.get(entry.get("study", name)).params
    configured, others = model(**given), {}
    for field, about in model.model_fields.items():
        if field in given and not about.is_required():
            default = about.get_default(call_default_factory=True)
            if default != getattr(configured, field):
                others[field] = default
    assert others == OTHERS.get(name, {})
