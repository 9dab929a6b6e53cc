"""Make a Python callable of a .cu file: machine, toolchain, build, launcher, first launch."""
