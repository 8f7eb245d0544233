# SPDX-License-Identifier: MIT
# ports/bindings/python.py - the first part of build/bindings/tidepool.py: loads the library, views of memory.
#   reads   the shared library beside this file, in build/ or named by TIDEPOOL_LIBRARY      writes  nothing
#   memory  none of its own      cost  O(1)
#   after   ctypes, without other modules; ports/bindings/generate appends the constants, structs and calls of tidepool.h
"""Tidepool from Python: the calls of tidepool.h with their names, and a few helpers.

Errors of calls are results: `check` turns them into exceptions. `Block` is aligned memory for a world or a cache,
`view` and `array` are memory as NumPy arrays, or as memoryviews where NumPy is missing."""
import ctypes
import os
from ctypes import (POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int16, c_int32,
                    c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

try:
    import numpy
except ImportError:
    numpy = None


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("TIDEPOOL_LIBRARY"), os.path.join(here, "libtidepool.so"),
              os.path.join(here, "..", "libtidepool.so")]
    for place in places:
        if place and os.path.exists(place):
            return ctypes.CDLL(place)
    raise ImportError("libtidepool.so was not found: make build/libtidepool.so, or set TIDEPOOL_LIBRARY to its path")


_library = _load()


def _call(name, result, arguments, words):
    call = getattr(_library, name)
    call.restype, call.argtypes, call.__doc__ = result, arguments, words
    return call


class Error(Exception):
    """A negative result, with its text."""

    def __init__(self, result):
        super().__init__(tp_result_text(result).decode())
        self.result = result


def check(result):
    """Returns a result that is no error; raises Error otherwise."""
    if result < 0:
        raise Error(result)
    return result


class Block:
    """Memory aligned to 64 bytes: `address` and `bytes`. A copy of its bytes is a snapshot."""

    def __init__(self, size):
        self._memory = (c_uint8 * (size + 64))()
        start = ctypes.addressof(self._memory)
        self.address, self.bytes = start + -start % 64, size

    def __bytes__(self):
        return ctypes.string_at(self.address, self.bytes)


def array(pointer, count):
    """`count` numbers at a pointer as a NumPy array or a memoryview, without a copy; None for a null pointer."""
    if not pointer:
        return None
    numbers = ctypes.cast(pointer, POINTER(pointer._type_ * count)).contents
    return numpy.ctypeslib.as_array(numbers) if numpy else memoryview(numbers).cast("B").cast(
        {c_float: "f", c_uint32: "I", c_uint64: "Q"}[pointer._type_])


def view(world):
    """The particles of a world, by the names of tp_view. Valid until the next call that changes the world."""
    seen = tp_world_view(world)
    return {name: array(getattr(seen, name), seen.count) for name, kind in tp_view._fields_
            if isinstance(getattr(seen, name), ctypes._Pointer) and getattr(seen, name)}


