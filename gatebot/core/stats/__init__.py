"""The numeric core: numbers in, numbers out; no I/O, no clock, no hidden randomness."""
