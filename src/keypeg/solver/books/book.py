"""Strategy books: a whole strategy in a file, with what it claims. Format in docs/books.md.

Opening a book and following it needs no compiled code, so the first move is ready at once.
"""

from __future__ import annotations

import json
import stat
import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from keypeg.files import atomic_file
from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.solver.codes.codespace import Answers, codespace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.solver.codes.trees import Tree

MAGIC: Final = b"keypeg book 1\n"
"""How every book begins."""

SUFFIX: Final = ".book"
"""How the name of every shipped book ends."""

MOST_HOLES: Final = 6
"""Boards with more holes have more answers than a node's mask has bits."""

_LARGEST: Final = 1 << 26
_LARGEST_FILE: Final = _LARGEST + (1 << 20)
"""A body that does not get smaller by packing, and its header, are below this."""
_LONGEST_HEADER: Final = 4096


class BrokenBook(CannotRead):
    """A file that is not a strategy book, or is a damaged one."""


@dataclass(frozen=True)
class BookClaim:
    """What a book claims; `verifier.verify` checks whether it is true.

    `proven` says that no strategy has a lower total (with a worst case of at most `limit`, if
    that is given); otherwise the total is an upper bound.
    """

    total: int
    worst: int
    proven: bool
    limit: int | None = None

    @property
    def status(self) -> str:
        """The claim in a word or two."""
        return "proven" if self.proven else "upper bound"


@dataclass(frozen=True, eq=False)
class Book:
    """A strategy: nodes level by level, each with a guess and the answers it can get.

    Guesses are places in the list of all codes; a node's mask has the bits of the answers that
    can come, numbered as `Answers` does; its children follow each other in that order.
    """

    board: Board
    claim: BookClaim
    guesses: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    children: NDArray[np.int64]

    def guess(self, history: Sequence[tuple[Code, KeyPegs]] = ()) -> Code | None:
        """The next guess after these rows, or None if they leave the book or end the game."""
        node = self._node(history)
        return None if node is None else self._code(node)

    def cost(self, history: Sequence[tuple[Code, KeyPegs]] = ()) -> float:
        """Guesses still to be made after these rows, on average; `guess` must have one there."""
        node = self._node(history)
        if node is None:
            raise ValueError("these rows leave the book or end the game")
        solved = Answers(self.board.holes).solved
        rows = total = codes = 0
        nodes = np.array([node])
        while len(nodes):
            rows += 1
            masks = self.masks[nodes]
            found = int((masks >> np.uint32(solved) & np.uint32(1)).sum())
            total, codes = total + rows * found, codes + found
            leads = np.bitwise_count(masks & np.uint32((1 << solved) - 1)).astype(np.int64)
            first = np.repeat(self.children[nodes] - np.cumsum(leads) + leads, leads)
            nodes = first + np.arange(len(first))
        return total / codes

    def _node(self, history: Sequence[tuple[Code, KeyPegs]]) -> int | None:
        """The node these rows lead to, or None."""
        node = 0
        for code, keys in history:
            follower = self._follower(node, keys)
            if follower is None or self._code(node) != code:
                return None
            node = follower
        return node

    def _code(self, node: int) -> Code:
        return codespace(self.board).code(int(self.guesses[node]))

    def _follower(self, node: int, keys: KeyPegs) -> int | None:
        """The node that an answer leads to, or None."""
        answers = Answers(self.board.holes)
        if keys not in answers.key_pegs[:-1]:
            return None
        bit, mask = 1 << answers.number(keys), int(self.masks[node])
        if not mask & bit:
            return None
        return int(self.children[node]) + (mask & (bit - 1)).bit_count()


def bound(board: Board, tree: Tree, claim: BookClaim) -> bytes:
    """The bytes of a book: a strategy and what it claims."""
    check_holes(board)
    body = packed(tree, Answers(board.holes).solved)
    header = {
        "board": str(board),
        "total": claim.total,
        "worst": claim.worst,
        "proven": claim.proven,
        "limit": claim.limit,
        "nodes": len(tree.guess),
        "checksum": zlib.crc32(body),
    }
    return MAGIC + json.dumps(header).encode() + b"\n" + zlib.compress(body, 9)


def put(path: Path, data: bytes) -> None:
    """Write a file completely or not at all."""
    with atomic_file(path, replace=True, mode=0o666) as temporary:
        temporary.write_bytes(data)


def check_holes(board: Board) -> None:
    """Refuse boards with too many holes for a book."""
    if board.holes > MOST_HOLES:
        raise AgainstTheRules(f"a book is for boards of up to {MOST_HOLES} holes, not {board}")


def packed(tree: Tree, solved: int) -> bytes:
    """A tree as the body of a book; `solved` is the number of the answer that ends a game."""
    order = _by_level(tree)
    masks = tree.wins.astype(np.int64) << solved
    np.bitwise_or.at(masks, tree.parent[1:], 1 << tree.answer[1:].astype(np.int64))
    return _planes(tree.guess[order]) + _planes(masks[order])


def _by_level(tree: Tree) -> NDArray[np.int64]:
    """Nodes by depth, then in the order of their parents, then by answer."""
    rank = np.zeros(len(tree.guess), np.int64)
    levels = [np.zeros(1, np.int64)]
    for depth in range(2, int(tree.depth.max()) + 1):
        nodes = np.flatnonzero(tree.depth == depth)
        nodes = nodes[np.lexsort((tree.answer[nodes], rank[tree.parent[nodes]]))]
        rank[nodes] = np.arange(len(nodes))
        levels.append(nodes)
    return np.concatenate(levels)


def _planes(words: NDArray[np.integer[Any]]) -> bytes:
    """32-bit words as four runs of bytes, the lowest first."""
    return words.astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes()


def from_planes(body: bytes) -> NDArray[np.uint32]:
    """The guesses and the masks of a book's body."""
    planes = np.frombuffer(body, np.uint8).reshape(2, 4, -1)
    return np.ascontiguousarray(planes.transpose(0, 2, 1)).view("<u4")[:, :, 0]


def read_book(path: Path) -> Book:
    """The book in a file."""
    data = book_bytes(path)
    try:
        return parse_book(data)
    except BrokenBook as error:
        raise BrokenBook(f"{path}: {error}") from None


def book_bytes(path: Path) -> bytes:
    """The contents of a file that may be a book; devices, pipes and larger files are refused."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise BrokenBook(f"{path} is not a regular file, which a strategy book must be")
    with path.open("rb") as file:
        data = file.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        raise BrokenBook(f"{path} is too large for a strategy book")
    return data


def parse_book(data: bytes) -> Book:
    """The book in these bytes."""
    if not data.startswith(MAGIC):
        raise BrokenBook(f"not a strategy book: it does not begin with {MAGIC.decode().strip()!r}")
    line, _, packed = data[len(MAGIC) :].partition(b"\n")
    header = _header(line)
    board = _board(header)
    claim = BookClaim(header["total"], header["worst"], header["proven"], header["limit"])
    body = _body(packed)
    if zlib.crc32(body) != header["checksum"] or len(body) != 8 * header["nodes"]:
        raise BrokenBook("a damaged strategy book: its checksum is wrong")
    guesses, masks = from_planes(body)
    if int(guesses.max()) >= board.codes:
        raise BrokenBook("a damaged strategy book: a guess is not a code of its board")
    leads = np.bitwise_count(masks & np.uint32((1 << Answers(board.holes).solved) - 1))
    children = np.cumsum(leads, dtype=np.int64) - leads + 1
    if int(children[-1] + leads[-1]) != len(masks):
        raise BrokenBook("a damaged strategy book: its answers lead to another number of nodes")
    return Book(board, claim, guesses, masks, children)


_KINDS: Final = {
    "board": (str,),
    "total": (int,),
    "worst": (int,),
    "proven": (bool,),
    "limit": (int, type(None)),
    "nodes": (int,),
    "checksum": (int,),
}


def _header(line: bytes) -> dict[str, Any]:
    """The fields of a header, each of its type."""
    try:
        header = json.loads(line) if len(line) <= _LONGEST_HEADER else None
    except (ValueError, RecursionError) as error:
        raise BrokenBook(f"a damaged strategy book: its header is not JSON ({error})") from None
    if not isinstance(header, dict):
        raise BrokenBook("a damaged strategy book: its header is not a JSON object")
    for field, kinds in _KINDS.items():
        if field not in header or type(header[field]) not in kinds:
            raise BrokenBook(
                f"a damaged strategy book: {field!r} in its header is missing or of the wrong type"
            )
    if not 1 <= header["nodes"] <= _LARGEST // 8:
        raise BrokenBook("a damaged strategy book: its number of nodes is out of range")
    return header


def _board(header: dict[str, Any]) -> Board:
    board = Board.parse(header["board"])
    if board.holes > MOST_HOLES or board.codes > header["nodes"]:
        raise BrokenBook(
            f"a damaged strategy book: {header['nodes']:,} nodes cannot find the codes of {board}"
        )
    return board


def _body(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        body = unpacking.decompress(packed, _LARGEST)
    except zlib.error as error:
        raise BrokenBook(f"a damaged strategy book: {error}") from None
    if not unpacking.eof or unpacking.unused_data:
        raise BrokenBook("a damaged strategy book: it is cut short, or something follows its end")
    return body


def shipped() -> dict[str, Path]:
    """The books that come with keypeg, by the name of their board."""
    folder = Path(str(resources.files("keypeg.solver.books")))
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def book_file(board: Board) -> Path | None:
    """The file of the shipped book of `board`, whatever its rows, or None."""
    return shipped().get(str(Board(board.holes, board.colours, 0, board.blanks, board.repeats)))


@lru_cache(maxsize=8)
def book_of(board: Board) -> Book | None:
    """The shipped book of `board`, whatever its rows, or None."""
    path = book_file(board)
    return None if path is None else read_book(path)
