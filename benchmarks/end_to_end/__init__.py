"""How fast whole calls are."""
