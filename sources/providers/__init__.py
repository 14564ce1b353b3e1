"""One file (or package) per provider, each exposing SOURCE; found by name, never listed by hand."""
