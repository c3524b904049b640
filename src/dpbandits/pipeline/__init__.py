"""What runs the papers, from config to jobs, tables, figures and report; names none of them."""

from pathlib import Path

CONFIG = Path("config/config.yaml")  # of the checkout in the current folder
