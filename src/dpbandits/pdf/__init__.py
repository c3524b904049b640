"""The paper that writes itself, and a page for the author of each refuted statement (Typst)."""
