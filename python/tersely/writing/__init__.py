"""Text that a language model writes, and its checks."""
