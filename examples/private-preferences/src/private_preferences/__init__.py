"""PP: private alignment side by side, KL's policy of RLHF and its rivals of 2025 and 2026."""
