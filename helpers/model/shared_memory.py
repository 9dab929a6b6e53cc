"""Count the bank conflicts of a warp's access to shared memory.

Shared memory has 32 banks, each of which serves one 4-byte word a cycle; neighbouring words lie
in neighbouring banks (CUDA C++ Programming Guide, "Shared Memory", compute capability 5.0 and
later).
"""

from __future__ import annotations

import numpy as np

from helpers.model.arguments import Count, Whole, checked
from helpers.specs import WARP_SIZE

BANKS = 32
WORD_BYTES = 4  # of a bank, in one cycle


@checked
def banks_of(addresses) -> np.ndarray:
    """Return the bank, 0 to 31, of each byte address in shared memory."""
    return _word_addresses(addresses) // WORD_BYTES % BANKS


@checked
def bank_conflict(addresses) -> int:
    """Count the cycles that one 4-byte access by a warp takes: 1 without a conflict, up to 32.

    `addresses` are byte addresses [up to 32], one for each active lane; no lanes give 0. A bank
    serves one word a cycle, and lanes that want the same word share it (a broadcast): the
    answer is the largest number of different words in one bank. Raises ValueError for more than
    32 addresses, or for one that is not of a whole word.
    """
    words = _word_addresses(addresses) // WORD_BYTES
    if words.size > WARP_SIZE:
        raise ValueError(
            f"{words.size} addresses: one access has at most {WARP_SIZE}, one for each lane"
        )
    return _fullest_bank(addresses) if words.size else 0


@checked
def wide_wavefronts(addresses, bytes_per_lane: Count = 16) -> int:
    """Count the wavefronts of one 8- or 16-byte access by a warp: `addresses` [32], in bytes.

    8 bytes go by half warps, 16 by quarters, each part by itself; two neighbouring parts share
    a wavefront if they have no conflict at all, as when all lanes read the same. (From the
    H200's counters: data/trace_counters.csv.) Raises ValueError for another width, another
    number of addresses, or one that is not a multiple of the width.
    """
    if bytes_per_lane not in (8, 16):
        raise ValueError(f"bytes_per_lane must be 8 or 16, not {bytes_per_lane}")
    first = np.asarray(addresses)
    if first.shape != (WARP_SIZE,):
        raise ValueError(f"a full warp's access has {WARP_SIZE} addresses, one for each lane")
    if (first % bytes_per_lane).any():
        raise ValueError(f"addresses must be multiples of {bytes_per_lane}")
    words = first[:, None] + WORD_BYTES * np.arange(bytes_per_lane // WORD_BYTES)
    pairs = words.reshape(bytes_per_lane // 8, 2, -1)  # of neighbouring parts
    total = 0
    for low, high in pairs:
        together = _fullest_bank(np.concatenate([low, high]))
        total += 1 if together == 1 else _fullest_bank(low) + _fullest_bank(high)
    return total


@checked
def column_addresses(column: Whole, pitch: Count = 32, rows: Count = 32) -> np.ndarray:
    """Return the byte addresses of a column of a float tile: lane r reads row r.

    `pitch` is the distance of two rows in elements.
    """
    return WORD_BYTES * (np.arange(rows) * pitch + column)


@checked
def row_addresses(row: Whole, pitch: Count = 32, columns: Count = 32) -> np.ndarray:
    """Return the byte addresses of a row of the same tile: lane c reads column c."""
    return WORD_BYTES * (row * pitch + np.arange(columns))


@checked
def tile_banks(pitch: Count = 32, rows: Count = 32, columns: Count = 32) -> np.ndarray:
    """Return the bank of every element of a tile, int [rows, columns].

    With a pitch of 32 a column lies in one bank, with 33 in all 32.
    """
    return banks_of(np.stack([row_addresses(row, pitch, columns) for row in range(rows)]))


def _fullest_bank(addresses) -> int:
    """Return the most different words that one bank is asked for."""
    words = np.unique(_word_addresses(addresses) // WORD_BYTES)
    return int(np.bincount(words % BANKS).max())


def _word_addresses(addresses) -> np.ndarray:
    addresses = np.asarray(addresses)
    if addresses.size and (
        not np.issubdtype(addresses.dtype, np.integer) or addresses.min() < 0
    ):
        raise ValueError(
            "addresses are byte offsets in shared memory: whole numbers, 0 or more"
        )
    if (addresses % WORD_BYTES).any():
        raise ValueError(
            f"a {WORD_BYTES}-byte access needs addresses that are multiples of {WORD_BYTES};"
            f" multiply indices by {WORD_BYTES}"
        )
    return addresses
