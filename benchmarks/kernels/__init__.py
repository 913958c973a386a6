"""How fast single kernels are, beside the libraries that do the same job."""
