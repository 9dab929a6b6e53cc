"""Is it right? Cases, references, the checker, and kernels that are known to be wrong."""
