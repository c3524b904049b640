"""Code that problems, audits and inference use; it imports none of them."""
