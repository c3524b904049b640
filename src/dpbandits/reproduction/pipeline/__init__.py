"""Everything between the config and the report: jobs, tables, figures. It names no paper."""

from pathlib import Path

CONFIG = Path("config/config.yaml")  # in the current folder, which is a checkout
