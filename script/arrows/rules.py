"""The rules of docs/design.md that a script can check, as tables first and as code below.

Every check takes a Source and yields findings (kind, file, line, text)."""
import os
import re
from collections import defaultdict

# What a folder may include: folders, or single headers. Fields of a struct and functions count as
# well, however far away the header that defines them was included.
MAY_INCLUDE = {
    "core": "core",
    "config": "core config",
    "kernels": "core kernels",
    "geometry": "core kernels geometry",
    "nn": "core kernels nn",
    "cloud": "core cloud",
    "formats": "core cloud formats",
    "sampling": "core config/settings.h config/inputs.h geometry cloud sampling",
    "model": "core config kernels nn model sampling geometry/lists.h geometry/pyramid.h geometry/order.h cloud/classes.h cloud/part_names.h",
    "synth": "core cloud formats synth",
    "datasets": "core config/settings.h config/inputs.h geometry cloud formats sampling synth datasets",
    "draw": "core cloud sampling model datasets/dataset.h draw",
    "task": "core config kernels geometry cloud formats sampling model datasets synth draw task",
    "mpi": "mpi",  # and the public headers
    "cli": "cli",  # and the public headers; examples and bindings know gelatto.h only
}
PUBLIC = ("gelatto.h", "gelatto_tool.h")
GENERATED = ("version.h", "commit.h", "viewer_files.h")

# A table row is a file that a table lists: it needs no header of its own, and its name shows the
# table. A table does not depend on its rows, although it names them.
ROWS = {
    "cli": re.compile(r"command_"),
    "datasets": re.compile(r"dataset_"),
    "formats": re.compile(r"format_|laz_item_"),
    "kernels": re.compile(r"kernels_"),
}
OPS = ("nn", "op_")  # the rows of nn are functions

# Calls that only these files may make.
CALLS = (
    ("allocation belongs to core/memory.c", ("src/core/memory.c", "src/mpi/"),  # a plug-in has its own
     "malloc|calloc|realloc|aligned_alloc|posix_memalign|strdup|strndup|free"),
    ("files belong to core/file*.c", ("src/core/file",),
     "fopen|fdopen|freopen|open|openat|creat|rename|fsync|opendir|mkstemp|unlink"),
    ("these follow the locale of the calling program; core/string.h has letters of ASCII", (),
     "strcasecmp|strncasecmp|strcasestr|toupper|tolower|isalnum|isalpha|isdigit|islower|isupper|isspace"),
    ("only the program prints or exits", (),
     "printf|puts|putchar|perror|exit|_exit|setlocale|signal|sigaction"),
)


def folder_of(path):
    return path.split("/")[1]


def module_of(path):
    """Files of one stem are one module: src/core/json.c, json.h and json_internal.h are core/json."""
    return re.sub(r"(_internal)?\.(c|h|inc)$", "", path[len("src/"):])


def is_allowed(folder, header):
    """Whether files of this folder may include this header of src/."""
    allowed = MAY_INCLUDE.get(folder, "").split()
    return folder_of(header) in allowed or header[len("src/"):] in allowed


def resolve(path, target):
    """The file of src/ that an include names; the program's own headers are named without folder."""
    return "src/cli/" + target if path.startswith("src/cli/") else "src/" + target


# --- 1. include directions, and calls that belong to one module ----------------------------------


def check_includes(source):
    for path in source.files:
        folder = folder_of(path)
        if folder not in MAY_INCLUDE:
            yield "include", path, 1, f"script/arrows/rules.py does not know the folder {folder}"
            continue
        for line, target in source.includes[path]:
            if target in PUBLIC + GENERATED:
                continue
            if folder == "cli":
                if resolve(path, target) not in source.files:
                    yield "include", path, line, f'"{target}": only gelatto.h and headers of the same folder'
            elif "/" not in target:
                yield "include", path, line, f'"{target}": write the folder ("{folder}/{target}")'
            elif not is_allowed(folder, "src/" + target):
                yield ("include", path, line,
                       f'folder {folder} includes "{target}"; it may include: {MAY_INCLUDE[folder]}')


def check_outsiders(root):
    """Examples and bindings use only the public header and files of their own folder."""
    for top in ("examples", "bindings"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".c", ".h", ".cpp", ".hpp")):
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as text:
                    for line, content in enumerate(text, 1):
                        found = re.match(r'\s*#\s*include\s*"([^"]+)"', content)
                        if not found or found.group(1) == "gelatto.h":
                            continue
                        if not os.path.exists(os.path.join(folder, found.group(1))) or "/" in found.group(1):
                            yield ("include", path, line,
                                   f'"{found.group(1)}": only gelatto.h and headers of the same folder')


def check_calls(root, source):
    for what, owners, names in CALLS:
        call = re.compile(rf"(^|[^a-zA-Z0-9_.>*])({names})\s*\(")
        for path in source.files:
            if path.startswith(("src/cli/",) + owners):
                continue
            with open(os.path.join(root, path), encoding="utf-8") as text:
                for line, content in enumerate(text, 1):
                    if call.search(content) and not re.match(r"\s*(/?\*|//)", content):
                        yield "call", path, line, f"{what}: {content.strip()}"


# --- the facts that the rules below share ---------------------------------------------------------


class Facts:
    """Definitions, declarations and uses of external names."""

    def __init__(self, source):
        self.source = source
        self.defined = {}  # name: (file, line, type)
        self.declared = defaultdict(set)  # name: headers
        self.uses = set()  # (file, line, name)
        self.reads = set()  # (file, line, struct, field, header)
        self.records = {}  # (file, struct): (line, {field: type})
        self.functions = set()  # (file, line, name): static ones too
        self.private = set()  # (file, line, name): declared in a .c file
        for unit in source.units:
            for path, line, name, type_ in unit.defines:
                if path.startswith("src/"):
                    self.defined[name] = (path, line, type_)
            for path, line, name in unit.declares:
                if path.endswith(".h"):
                    self.declared[name].add(path)
                elif path.startswith("src/"):
                    self.private.add((path, line, name))
            self.uses |= {use for use in unit.uses if use[0].startswith("src/")}
            self.reads |= {r for r in unit.reads if r[0].startswith("src/") and r[4].startswith("src/")}
            self.records.update(unit.records)
            self.functions |= unit.functions

    def headers(self, name):
        """Headers of src/ for an external name: those that declare it, or, if that is the public
        header, the one beside its definition."""
        declared = [header for header in self.declared[name] if header.startswith("src/")]
        if declared or name not in self.defined:
            return declared
        return [self.defined[name][0][:-1] + "h"]

    def is_row(self, name):
        """Whether it is a row of a table."""
        path, _, type_ = self.defined[name]
        folder = folder_of(path)
        if folder == OPS[0] and name.startswith(OPS[1]):
            return True
        return folder in ROWS and ROWS[folder].match(name) and type_.startswith("const struct ") \
            and "(" not in type_


# --- 2. cycles between modules --------------------------------------------------------------------


def dependencies(facts):
    """{module: {module: why}}: headers that it includes, external names that it uses."""
    edges = defaultdict(dict)

    def add(path, line, other, why):
        if module_of(path) != module_of(other):
            edges[module_of(path)].setdefault(module_of(other), f"{path}:{line} {why}")

    source = facts.source
    for path in source.files:
        for line, target in source.includes[path]:
            other = resolve(path, target)
            if other in source.files:
                add(path, line, other, f"includes {target}")
    for path, line, name in sorted(facts.uses):
        if name in facts.defined and not facts.is_row(name):
            add(path, line, facts.defined[name][0], f"uses {name}")
    return edges


def components(edges):
    """Strongly connected components of more than one module (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(edges):
        work = [(root, iter(sorted(edges[root])))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            for after in rest:
                if after not in index:
                    work.append((after, iter(sorted(edges.get(after, ())))))
                    break
                if after in on_stack:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    if len(stack) - cut > 1:
                        found.append(sorted(stack[cut:]))
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return found


def check_cycles(facts):
    edges = dependencies(facts)
    for members in components(edges):
        inner = [f"{a} -> {b}: {why}" for a in members for b, why in sorted(edges[a].items()) if b in members]
        first = members[0]
        path = next(f for f in facts.source.files if module_of(f) == first)
        text = f"cycle of {len(members)} modules: {', '.join(members)}"
        yield "cycle", path, 1, "\n    ".join([text] + inner)


# --- 3. reach: fields and functions of headers that a file does not include -----------------------


def known_headers(source, path):
    """The headers a file includes itself or through the header of its own name."""
    known = {resolve(path, target) for _, target in source.includes[path]} | {path}
    own = "src/" + module_of(path) + ".h"
    if own in known and own in source.includes:
        known |= {resolve(own, target) for _, target in source.includes[own]}
    return known


def check_reach(facts):
    source = facts.source
    known = {path: known_headers(source, path) for path in source.files}
    found = defaultdict(dict)  # (file, header): {what: line}
    for path, line, struct, field, header in sorted(facts.reads):
        hidden = header not in known[path] and not path.endswith(".inc") and not header.endswith(".inc")
        if hidden or not is_allowed(folder_of(path), header):
            found[path, header].setdefault(f"{struct}.{field}", line)
    for path, line, name in sorted(facts.uses):
        for header in facts.headers(name):
            if folder_of(path) != "cli" and not is_allowed(folder_of(path), header):
                found[path, header].setdefault(name, line)
    for (path, header), what in sorted(found.items()):
        names = sorted(what)
        text = f"uses {', '.join(names[:4])}{' ...' if len(names) > 4 else ''} of {header[4:]}"
        if not is_allowed(folder_of(path), header):
            text += f", which folder {folder_of(path)} may not know"
        else:
            text += ", which it does not include"
        yield "reach", path, min(what.values()), text


# --- 4. names, 5. headers -------------------------------------------------------------------------


def stems(source, path):
    """The allowed prefixes of external names of a file: its stem, or the stem of its family if the
    folder has that header (las_write.c may define las_find, since there is a las.h)."""
    folder, stem = os.path.split(path[:-len(".c")])
    words = stem.split("_")
    heads = ["_".join(words[:n]) for n in range(1, len(words))]
    return [stem] + [h for h in heads if f"{folder}/{h}.h" in source.files]


def is_public(name):
    return name.startswith("glt_") or name == "main"


def check_names(facts):
    for name, (path, line, _) in sorted(facts.defined.items()):
        if is_public(name) or facts.is_row(name) or not path.endswith(".c"):
            continue
        allowed = stems(facts.source, path)
        if any(name == s or name.startswith(s + "_") for s in allowed):
            continue
        yield "name", path, line, f"{name} does not start with {' or '.join(s + '_' for s in allowed)}"


def check_headers(facts):
    exports = defaultdict(list)
    for name, (path, line, _) in facts.defined.items():
        if not is_public(name) and not facts.is_row(name):
            exports[path].append((line, name))
    for path in facts.source.files:
        own = path[:-1] + "h"
        if path.endswith(".c") and exports[path] and own not in facts.source.files:
            line, name = min(exports[path])
            yield "header", path, line, f"exports {name} and has no header of its own"
    for name, (path, line, _) in sorted(facts.defined.items()):
        own = {path[:-1] + "h", path[:-2] + "_internal.h"}
        elsewhere = facts.declared[name] - own
        if exports[path] and not is_public(name) and not facts.is_row(name) and elsewhere \
                and path[:-1] + "h" in facts.source.files:
            yield "header", path, line, f"{name} is declared in {', '.join(sorted(elsewhere))}"
    for path, line, name in sorted(facts.private):
        if name in facts.defined and facts.defined[name][0] != path and not facts.is_row(name):
            yield "header", path, line, f"declares {name} itself: include the header that does"


# --- 6. one definition each -----------------------------------------------------------------------


def is_second_struct(concept, fields):
    """Whether a struct has a field for each pattern of one of the shapes."""
    return any(
        all(any(re.fullmatch(name, f) and re.fullmatch(type_, t) for f, t in fields.items())
            for name, type_ in shape)
        for shape in concept.shapes)


def check_concepts(concepts, root, facts):
    for concept in concepts:
        home = re.sub(r"\.[ch]$", "", concept.home)
        at_home = {home + ".c", home + ".h", *concept.also}
        if place_of(concept, facts) is None:
            yield "second", concept.home, 1, f"{concept.title}: {concept.name} is not defined here"
        for path, line, what in sorted(find_concept(concept, root, facts)):
            if path.startswith("src/") and path not in at_home:
                yield "second", path, line, f"{what} looks like a second {concept.title} ({concept.home})"


def find_concept(concept, root, facts):
    """Everything that looks like the concept: (file, line, what)."""
    for (path, struct), (line, fields) in facts.records.items():
        if is_second_struct(concept, fields):
            yield path, line, "struct " + struct
    for path, line, name in facts.functions:
        if concept.functions and re.search(concept.functions, name):
            yield path, line, name
    for path, line, name in facts.uses:
        if name in concept.calls:
            yield path, line, name
    for path in facts.source.files if concept.text else ():
        if folder_of(path) != "cli":
            yield from find_text(root, path, concept.text)


def find_text(root, path, pattern):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        for line, content in enumerate(text, 1):
            if re.search(pattern, content):
                yield path, line, content.strip()


def place_of(concept, facts):
    """The place of the definition, or None."""
    for (path, struct), (line, _) in facts.records.items():
        if path == concept.home and concept.name == "struct " + struct:
            return f"{path}:{line}"
    path, line, _ = facts.defined.get(concept.name, ("", 0, ""))
    return f"{path}:{line}" if path == concept.home else None
