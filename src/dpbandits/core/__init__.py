"""Code that all papers use; it imports none of them."""
