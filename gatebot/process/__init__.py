"""The one door to subprocess: starting programs, limiting them, ending everything they leave behind."""
