"""Real servers: `in_process` for one to look into, `processes` for one to start, stop and kill.

`restartable` adds servers that die at a named point, or several on one database. Processes are
forked from one that has served already (`forked`, `fork_server`, `warmed`); `program` is what runs
in them: `keypeg`, with switches that turn its defences off.
"""
