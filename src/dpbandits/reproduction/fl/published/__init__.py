"""The published values (see published/README.md)."""

from pathlib import Path

import pandas as pd

SUBLINEAR_AFTER = 7500  # rounds, of Figure 2 at epsilon = 0.5: Appendix F.1


def published(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"))
