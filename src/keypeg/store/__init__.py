"""The durable log of every table, in SQLite or PostgreSQL.

`log.Log` is the interface, `sql.SqlLog` its implementation in a database, and `memory.MemoryLog`
its implementation in memory. An entry holds events of the rules or events of a table (`events`).
"""
