"""Concepts with a single definition in gelatto, and patterns of a second one."""
from dataclasses import dataclass

TEXTS = r".*char \*(const )?\*|.*char \(\*\)\[\d+\]|.*char\[\d+\]\[\d+\]"  # an array of texts
COUNT = r"int|int32_t|int64_t|size_t"


@dataclass
class Concept:
    title: str
    home: str  # the file of the definition
    name: str  # the struct or function
    shapes: tuple = ()  # a struct with a field (name, type) for each of a tuple is a second one
    functions: str = ""  # so is a function of such a name,
    calls: tuple = ()  # a use of such a function,
    text: str = ""  # or such a line
    also: tuple = ()  # files with something else that looks the same, each with a reason


CONCEPTS = (
    Concept(
        "class catalogue", "src/cloud/classes.h", "struct classes",
        shapes=(
            ((r"(class_|category_|part_)names?|names", TEXTS), (r".*colou?rs?|.*classes|.*categories", r".*")),
            ((r"name", r".*char \*|char\[\d+\]"), (r"colou?r", r".*")),
        ),
        also=("src/draw/image.h",),  # a legend: lines of text beside their colours
    ),
    Concept(
        "sample placing", "src/sampling/normalise.c", "normalise_sphere",
        functions=r"unit_sphere|to_unit|place_(points|sample|shape)",
    ),
    Concept(
        "canonical sort", "src/geometry/order.c", "order_rows",
        functions=r"canonical_(order|sort)|sort_(points|xyz)|(points|xyz|sample)_sort|(by|compare)_(points|xyz)|radix",
    ),
    Concept(
        "batch struct", "src/sampling/batch.h", "struct batch",
        shapes=(((r"features", r".*float \*"), (r"labels", r".*"), (r"pyramids?|parts|edges", r".*")),),
        also=("src/nn/plan.h",),  # the parts of a batch that a plan reads, as plain arrays: nn knows no pyramid
    ),
    Concept(
        "vote accumulator", "src/sampling/votes.h", "struct votes",
        shapes=(((r"sums?|scores?", r"(float|double) \*"), (r"counts?|votes|seen", r"u?int(16|32)_t \*")),),
    ),
    Concept(
        "string builder", "src/core/string.h", "struct string",
        shapes=(
            ((r"bytes|text|data|string|buffer", r"char \*"), (r"len|length|used", COUNT),
             (r"room|capacity|size|code", COUNT)),
        ),
    ),
    Concept(
        "growing array", "src/core/array.c", "array_reserve",
        calls=("memory_resize",),
    ),
    Concept(
        "option-string parser", "src/core/option_string.c", "option_string_read",
        text=r"\bstrtok(_r)?\(|\bstrsep\(|\bstrchr\([^,]*, '='\)",
    ),
)
