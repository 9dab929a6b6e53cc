"""Draw the pictures of the course, in one style: Axes in, Axes out. Nothing here measures.

A version of the ladder has the same colour and marker everywhere, and recorded data name
their card. Each picture lies in the module of its subject, loaded when it is first used.
"""

from importlib import import_module

_PICTURES = {
    "style": ("new", "panels", "elements_name", "bytes_name", "roof_line"),
    "rooflines": ("roofline", "intensity_line", "level_roofline"),
    "bandwidth": ("working_set_sweep",),
    "climb": ("ladder_rooflines",),
    "kernels": ("kernel_rooflines",),
    "predictions": ("predicted_and_measured", "predicted_against_published"),
    "occupancy": ("occupancy_steps", "occupancy_panels", "blocks_in_sm", "block_sweep"),
    "hardware": ("sector_map", "bank_map", "schedule_timeline", "schedule_counts"),
    "grids": ("grid", "moves"),
    "warps": ("warp_map", "mask_timeline", "shuffle_rounds"),
    "latency": ("read_curves", "bytes_in_flight", "latency_steps"),
    "traces": ("request_sectors", "request_banks", "step_masks", "source_heat"),
    "stepper": ("step_requests",),
    "libraries": ("idea_strip", "library_ratios"),
    "launches": ("blocks_over_time", "ceiling_places"),
}
_MODULE_OF = {name: module for module, names in _PICTURES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name in _MODULE_OF:
        return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"no plot {name!r}; there are {', '.join(__all__)}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
