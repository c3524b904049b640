"""Policy (11): preferences, RLHF."""
