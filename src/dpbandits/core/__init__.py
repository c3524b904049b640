"""What every paper uses and which knows none of them."""
