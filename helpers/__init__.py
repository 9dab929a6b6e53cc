"""Elementwise to the Roof: the package that keeps the notebooks' cells short.

The modules stand on floors and import only downwards:

    specs                                   GPUs and compute capabilities, from data/*.csv
    occupancy, warps, ceilings, coalescing  mathematics on them: no torch, no GPU
    machine, nvml, locks                    what runs kernels now, and who else does
    emulator                                a .cu file made into a CPU library
    binding, sandbox, jit                   a .cu file made into a Python callable, its first launch apart
    sass, counters, cuda_occupancy          what was compiled, what the hardware counted, what the runtime says
    check (clues, large), cases             is it right?
    bench, records                          how fast is it, and data/*.csv in and out
    experiments, template, peers            the measurements that notebooks show
    plots, report, exercises, course        drawing, the README's table, marking, `make run`
"""
