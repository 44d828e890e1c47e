"""The game on the full screen, drawn with Textual."""
