"""Reads documents, says what each part is worth, fits them into a budget, and checks the result."""
