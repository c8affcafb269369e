"""From JSON in any known trajectory format to a Trajectory. Pure: text in, values out."""
