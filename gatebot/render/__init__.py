"""Results to text for people and programs: comment, terminal summary, JUnit. Pure: same report in, same bytes out."""
