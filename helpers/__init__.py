"""Elementwise to the Roof: the package that keeps the notebooks' cells short.

The modules stand on floors and import only downwards:
specs; occupancy, warps, ceilings; machine; emulator; jit; check, bench, records; plots.
"""
