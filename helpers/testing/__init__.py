"""Check whether a kernel is right: cases, references, checker, kernels known to be wrong."""
