"""The stages of the pipeline: one verb a file, pure functions over arrays, none imports another."""
