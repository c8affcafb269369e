"""The stories: what each command does, from input to output, one function per stage."""
