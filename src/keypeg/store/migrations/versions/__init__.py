"""Every step the schema has taken, the newest last."""
