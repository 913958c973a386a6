"""The same questions through every public entry of tersely, and over documents of several kinds."""
