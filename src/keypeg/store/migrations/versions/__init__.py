"""All migrations of the schema."""
