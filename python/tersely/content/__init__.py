"""What agents read: one file for each content type, which cuts its texts into units."""
