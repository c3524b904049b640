"""HU's tables that are not simulations."""
