from __future__ import annotations

from keypeg.table.tokens import hashed, new_token


def test_a_token_has_256_bits_and_is_kept_as_its_hash() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert {len(token) for token in tokens} == {43}
    token = tokens.pop()
    assert token not in hashed(token)
    assert hashed(token) != hashed(tokens.pop())
