"""The exceptions that a learner meets. Each message says what happened and what to do next."""


class CourseError(Exception):
    """Base of every error that the course itself raises, so that one `except` can catch them all."""


class CompileError(CourseError):
    """A kernel file did not compile. The message holds the file, the line and the compiler's own words."""


class BuildError(CourseError):
    """The compiler could not be run at all: it is missing, too old, or the disk is full or read-only."""


class LaunchError(CourseError):
    """A kernel was refused at launch (too many threads, an empty grid, ...) and did not run."""


class KernelFault(CourseError):
    """A kernel ran and broke a rule: out of bounds, misaligned, a barrier not reached, too long."""


class NoGpuError(CourseError):
    """Something that only a GPU can answer (a time, a counter) was asked for on a machine without one."""


class CheckError(CourseError):
    """A kernel's result is wrong, or has not been checked before it was to be timed."""
