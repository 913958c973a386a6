"""The vocabulary: types, arrays, errors, protocols, checks of arguments."""
