"""Policy (8): offline bandits."""
