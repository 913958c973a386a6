"""Content types, a file each: readers that cut texts into units."""
