"""Predict what should happen on a GPU: occupancy, coalescing, warps, ceilings. No torch."""
