"""The published values (see published/README.md)."""

from pathlib import Path

import pandas as pd


def published(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"))
