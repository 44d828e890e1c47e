"""The solver: enumerates, partitions, searches, rates. Knows boards and codes, not people.

Importing this package imports none of its modules: those that compile need half a second.
"""
