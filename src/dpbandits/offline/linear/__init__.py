"""Policy (10): offline linear contextual bandits."""
