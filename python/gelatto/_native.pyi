# The extension that cffi makes from gelatto.h: names of the C library, without their types.
from typing import Any

ffi: Any
lib: Any
