"""The log on disk: append and read, durable, the same for SQLite and PostgreSQL.

Knows the rules' events and what else happens at a table, and nothing of who asks or watches.
`log.Log` is the interface, `sql.SqlLog` its one implementation.
"""
