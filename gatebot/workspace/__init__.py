"""Git and directories: what a side's files are, and where they lie while trials run."""
