"""The vocabulary: frozen types that every stage shares."""
