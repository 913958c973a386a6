"""Reads documents, values each unit, fits them into a budget, and checks the result."""
