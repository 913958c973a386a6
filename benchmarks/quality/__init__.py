"""How much of what matters is kept."""
