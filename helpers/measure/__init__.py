"""Ask how fast a kernel is and what the hardware says: clock, record, experiments."""
