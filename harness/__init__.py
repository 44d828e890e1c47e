"""What tests and benches share. Neither imports the other, and nothing here is shipped.

- Something to try: `servers/` (in this process or as processes), `tables` (without a server),
  `databases`, `programs` (run to their end), `forked` (the same, started quickly), `browser`.
- Somebody to play: `clients/`.
- Something to go wrong: `faults/`.
- A verdict: `history` (what clients noted), `checker` (whether the log agrees), `leaks` (whether a
  secret got out).
- What those need: `ports`, `descriptors`, `compiling`, `fork_server`.

What only tests need stays in tests/, and what only benches need in bench/.
"""
