"""Third-party models and tokenizers behind our protocols, one file a library, loaded when asked for."""
