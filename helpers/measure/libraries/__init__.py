"""Compare the course's fastest kernels with the libraries': same buffers, interleaved replays.

An *operation* is an add or a cast in one dtype, a *candidate* one way to do it, a *cell* one
operation at one size, hot or cold.
"""
