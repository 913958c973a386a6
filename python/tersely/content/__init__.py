"""What agents read: a file for each content type, which knows how its texts are made."""
