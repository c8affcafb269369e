"""The machine files: the journal of trials and the directory that holds a run."""
