"""Ways to run one trial: a program, a Python function, a recording, and two built in for proof."""
