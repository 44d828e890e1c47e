import copy
import itertools
import json
import pickle
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.commitment import Opening, opens, seal
from keypeg.rules.errors import AgainstTheRules, CannotRead
from tests.rules.strategies import boards, codes

CLASSIC = PRESETS["classic"]
NONCE = bytes(range(32))


@given(st.data(), boards(), st.binary(min_size=32, max_size=32), st.text(max_size=20))
def test_a_seal_opens_to_what_was_sealed(
    data: st.DataObject, board: Board, nonce: bytes, game_id: str
) -> None:
    opening = Opening(data.draw(codes(board)), nonce)
    assert opens(seal(board, game_id, opening), board, game_id, opening)


def test_a_seal_opens_to_no_other_code() -> None:
    secret = Opening((1, 2, 3, 4), NONCE)
    sealed = seal(CLASSIC, "game", secret)
    for code in itertools.product(CLASSIC.symbols, repeat=4):
        assert opens(sealed, CLASSIC, "game", Opening(code, NONCE)) == (code == secret.code)


def test_a_seal_holds_for_one_board_game_and_nonce() -> None:
    opening = Opening((1, 2, 3, 4), NONCE)
    sealed = seal(CLASSIC, "game", opening)
    assert not opens(sealed, PRESETS["classic-blanks"], "game", opening)
    assert not opens(sealed, CLASSIC, "game/2", opening)
    assert not opens(sealed, CLASSIC, "game", Opening((1, 2, 3, 4), NONCE[::-1]))
    assert not opens(sealed, CLASSIC, "game", Opening((1, 2, 3, 4)))
    assert not opens("", CLASSIC, "game", opening)


def test_two_seals_of_one_code_differ() -> None:
    one = seal(CLASSIC, "game", Opening((1, 2, 3, 4), NONCE))
    two = seal(CLASSIC, "game", Opening((1, 2, 3, 4), NONCE[::-1]))
    assert one != two


def test_the_sealed_bytes_are_as_documented() -> None:
    """The same digest worked out by hand, so that anybody can verify a seal."""
    parts = (b"keypeg seal 1", b"classic", b"game", bytes([1, 2, 3, 4]), NONCE)
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    assert seal(CLASSIC, "game", Opening((1, 2, 3, 4), NONCE)) == sha256(message).hexdigest()


@pytest.mark.parametrize("nonce", [b"", b"short", bytes(33), "0" * 32])
def test_a_nonce_is_256_bits(nonce: bytes) -> None:
    with pytest.raises(CannotRead, match="32 bytes"):
        Opening((1, 2, 3, 4), nonce)


def test_nothing_is_sealed_without_a_nonce() -> None:
    with pytest.raises(CannotRead, match="nonce"):
        seal(CLASSIC, "game", Opening((1, 2, 3, 4)))


def test_only_a_code_of_the_board_is_sealed() -> None:
    with pytest.raises(AgainstTheRules, match="blanks are off"):
        seal(CLASSIC, "game", Opening((1, 2, 3, 0), NONCE))


def test_a_seal_is_read_in_either_case() -> None:
    opening = Opening((1, 2, 3, 4), NONCE)
    assert opens(seal(CLASSIC, "game", opening).upper(), CLASSIC, "game", opening)


def test_a_secret_does_not_print_itself() -> None:
    opening = Opening((6, 6, 5, 5), NONCE)
    for text in (repr(opening), str(opening), f"{opening}", repr([opening])):
        assert "6" not in text
        assert NONCE.hex() not in text
    with pytest.raises(TypeError):
        json.dumps(opening)


def test_a_secret_does_not_change() -> None:
    opening = Opening((6, 6, 5, 5), NONCE)
    with pytest.raises(AttributeError, match="is immutable"):
        opening.code = (1, 1, 1, 1)


def test_a_secret_is_not_serialised_but_may_be_copied() -> None:
    opening = Opening((6, 6, 5, 5), NONCE)
    with pytest.raises(TypeError, match="cannot be serialised"):
        pickle.dumps(opening)
    assert copy.copy(opening) is opening
    assert copy.deepcopy([opening]) == [opening]
