"""The command line: argv, environment, exit codes."""
