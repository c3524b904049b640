"""KL's figures."""
