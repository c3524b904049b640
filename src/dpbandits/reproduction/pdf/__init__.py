"""The article, and a letter to the authors of each paper (Typst)."""
