"""The memory that grader and runner share for arrays: its layout, its seals, its poison."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from autograder.errors import GraderError
from autograder.plan.tables import Array, ArraySpec, Shape
from autograder.run.protocol import ArrayPlace

Bytes = npt.NDArray[np.uint8]
PIECE = 16 << 20  # bytes; a smaller piece is not worth a thread
FRESH = (0xFFFADEAD).to_bytes(4, "little")  # kPoisonWord of virtual_gpu/memory/memory.h
_ALIGN = 4096
_MEMCMP = ctypes.CDLL(None).memcmp
_MEMCMP.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_ADD_SEALS = getattr(fcntl, "F_ADD_SEALS", 1033)
_SEALS = 0x0001 | 0x0002 | 0x0004  # F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW


def layout(shape: Shape, begin: int = 0) -> tuple[list[ArrayPlace], int]:
    """The position of each array of a call, from `begin` on, and the end of the last."""
    places = []
    end = begin

    def take(spec: ArraySpec) -> int:
        nonlocal end
        at = end
        end += -(-max(spec.bytes, 1) // _ALIGN) * _ALIGN
        return at

    for role, specs in (("in", shape.inputs), ("out", shape.outputs)):
        for spec in specs:
            at = take(spec)
            places.append(
                ArrayPlace(
                    name=spec.name,
                    dtype=spec.dtype,
                    count=spec.count,
                    shift=spec.shift,
                    on_host=spec.on_host,
                    role="in" if role == "in" else "out",
                    at=at,
                    back=take(spec) if role == "in" else -1,
                )
            )
    return places, end


class SharedMemory:
    """Anonymous memory that cannot be resized: truncating it would kill the grader by SIGBUS."""

    def __init__(self, size: int) -> None:
        self.size = max(size, _ALIGN)
        self.fd = os.memfd_create("arrays", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
        os.ftruncate(self.fd, self.size)
        fcntl.fcntl(self.fd, _ADD_SEALS, _SEALS)
        self._map = mmap.mmap(self.fd, self.size)
        self._bytes: Bytes = np.frombuffer(self._map, np.uint8)

    def put(self, places: Sequence[ArrayPlace], inputs: Sequence[Array], poison: int) -> None:
        """Writes the inputs; poisons the outputs."""
        for piece in self.pieces(places, inputs, poison):
            fill(piece)

    def pieces(
        self, places: Sequence[ArrayPlace], inputs: Sequence[Array], poison: int, *, whole: bool = True
    ) -> Iterator[tuple[Bytes, Bytes | int]]:
        """What put() has to fill, and with what, in pieces for several threads.

        `whole`: the outputs, too. Their first byte tells the runner what to fill its own arrays with; the rest shows
        what was never sent back.
        """
        data = iter(inputs)
        for place in places:
            size = int(np.dtype(place.dtype).itemsize) * place.count
            if max(place.at, place.back) + size > self.size:
                raise GraderError(f"{place.name} with {place.count:,} elements does not fit into the shared memory")
            there = self._bytes[place.at : place.at + size]
            if place.role == "in":
                yield from in_pieces(there, next(data))
            else:
                filled = there if whole else there[:1]
                yield from ((filled[at : at + PIECE], poison) for at in range(0, filled.size, PIECE))

    def view(self, place: ArrayPlace, back: bool = False) -> Array:
        """An array, valid until the next call. Only the trusted device process can write it; a runner cannot."""
        kind = np.dtype(place.dtype)
        at = place.back if back else place.at
        return self._bytes[at : at + kind.itemsize * place.count].view(kind)

    def close(self) -> None:
        del self._bytes
        with contextlib.suppress(BufferError):  # if somebody still holds a view, it stays open
            self._map.close()
        os.close(self.fd)


def fill(piece: tuple[Bytes, Bytes | int]) -> None:
    """Fills one of the pieces from SharedMemory.pieces."""
    there, data = piece
    there[:] = data


def in_pieces(a: Array, b: Array) -> Iterator[tuple[Bytes, Bytes]]:
    """The bytes of two contiguous arrays side by side, for several threads."""
    one, other = a.view(np.uint8), b.view(np.uint8)
    if one.size != other.size:
        yield one, other
    else:
        yield from ((one[at : at + PIECE], other[at : at + PIECE]) for at in range(0, one.size, PIECE))


def poisoned(array: Array, poison: int) -> npt.NDArray[np.bool_]:
    """Which elements are still the poison."""
    return _are(array, bytes([poison]))


def fresh(array: Array) -> npt.NDArray[np.bool_]:
    """Which elements are copies of unwritten memory of the virtual GPU."""
    return _are(array, FRESH) if array.dtype.itemsize % len(FRESH) == 0 else np.zeros(array.shape, np.bool_)


def _are(array: Array, filling: bytes) -> npt.NDArray[np.bool_]:
    size = array.dtype.itemsize
    value = np.frombuffer(filling * (size // len(filling)), np.dtype(f"u{size}"))[0]
    return np.asarray(array.view(f"u{size}") == value)


def same_bits(a: Array, b: Array) -> bool:
    """Compares two contiguous arrays, without the third array that numpy's comparison allocates."""
    return a.nbytes == b.nbytes and _MEMCMP(a.ctypes.data, b.ctypes.data, a.nbytes) == 0


def alike(a: Array, b: Array) -> npt.NDArray[np.bool_]:
    """Which elements of two arrays have the same bits; so a NaN is like itself."""
    kind = f"V{a.itemsize}" if a.itemsize not in (1, 2, 4, 8) else f"u{a.itemsize}"
    return np.asarray(a.view(kind) == b.view(kind))


def first_difference(a: Array, b: Array) -> int:
    """The first element whose bits differ in two arrays that are not alike."""
    return int(np.flatnonzero(~alike(a, b))[0])
