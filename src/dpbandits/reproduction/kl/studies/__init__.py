"""KL's tables."""
