"""The article, its supplement, and a letter to the authors of each paper (Typst)."""
