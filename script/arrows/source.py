"""Facts about the sources: the includes of every file of src/, and, from clang's syntax trees, the
names it defines and uses. The rules are elsewhere."""
import concurrent.futures
import functools
import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field

OURS = ("src/", "include/")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
# Pieces of a line of the dump: "| `-MemberExpr 0x5a <line:3:5, col:9> 'int' lvalue ->loss 0x4f"
NODE = re.compile(r"([ |`-]*)(\w+) (0x[0-9a-f]+)")
PLACE = re.compile(r"([^\s<>,:]+|<scratch space>):(\d+):\d+")
MEMBER = re.compile(r"(?:->|\.)\w* (0x[0-9a-f]+)$")
REFERENCE = re.compile(r" (?:Function|Var) (0x[0-9a-f]+) '")
RECORD = re.compile(r"(?:struct|union) (\w+) definition")
DECLARATION = re.compile(r"(\w+) '([^']*)'(.*)")
LITERAL = re.compile(r"'(?:const )?struct (\w+)'")


@dataclass
class Unit:
    """One .c file with the headers it includes, as seen by the compiler."""

    path: str
    error: str = ""
    defines: set = field(default_factory=set)  # (file, line, name, type): external linkage
    declares: set = field(default_factory=set)  # (file, line, name): external, without a body
    functions: set = field(default_factory=set)  # (file, line, name): with a body, static or not
    records: dict = field(default_factory=dict)  # (file, struct): (line, {field: type})
    uses: set = field(default_factory=set)  # (file, line, name): external names
    reads: set = field(default_factory=set)  # (file, line, struct, field, header): members


@dataclass
class Source:
    """All of src/, and the public header."""

    files: list
    includes: dict  # file: [(line, target)]
    units: list


def find_files(root):
    """The C files of src/, relative to the root."""
    found = []
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in names:
            if name.endswith((".c", ".h", ".inc")):
                found.append(os.path.relpath(os.path.join(folder, name), root))
    return sorted(found)


def read_includes(root, path):
    """The quoted includes of a file, with their lines."""
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return [(i, m.group(1)) for i, m in enumerate(map(INCLUDE.match, text), 1) if m]


def compiler_flags(root):
    """Macros and include folders of the release build, or defaults for a plain tree."""
    flags = ["-std=c17", "-D_GNU_SOURCE", "-Isrc", "-Iinclude"]
    commands = os.path.join(root, "build/release/compile_commands.json")
    if not os.path.exists(commands):
        return flags
    flags.append("-Ibuild/release/generated")
    found = set()
    with open(commands, encoding="utf-8") as text:
        for command in json.load(text):
            words = shlex.split(command["command"])
            if "/src/" in command["file"] and "-DGELATTO_F64" not in words:
                found |= {word for word in words if word.startswith("-D")}
                found |= {"-isystem" + after for word, after in zip(words, words[1:]) if word == "-isystem"}
    return flags + sorted(found)


class Tree:
    """Reads clang's -ast-dump of one unit. A location is printed only as far as it differs from the
    previous one, so all of them must be tracked."""

    def __init__(self, unit):
        self.unit = unit
        self.file, self.line = "", 0
        self.home = ""  # the file of the outermost declaration, if it is ours
        self.fields = {}  # address: (struct, field, header)
        self.names = {}  # address: name, of external ones
        self.structs = {}  # struct: header
        self.struct = None  # the outermost open struct: (file, name)
        self.function = None  # the current function, until its body begins

    def read(self, lines):
        for line in lines:
            outermost = line[1:2] == "-"
            if not (outermost or self.home or ".h:" in line):
                continue
            head = line[: line.find("'")] if "'" in line else line
            places = PLACE.findall(head) if ":" in head else []
            for name, number in places:
                self.line = int(number)
                if name != "line":
                    self.file = name
            if outermost:
                self.enter(places)
            node = self.home and NODE.match(line)
            if node:
                take = self.NODES.get(node.group(2))
                if take:
                    take(self, node, line, line[head.rfind(">") + 1 :])

    def enter(self, places):
        """A declaration belongs to the last of its files that is ours: its name or type may come from
        a macro elsewhere."""
        files = [self.file] + [name for name, _ in places[::-1] if name != "line"]
        self.home = next((f for f in files if f.startswith(OURS)), "")
        self.struct = self.function = None

    def take_member(self, _, line, __):
        found = MEMBER.search(line)
        if found and found.group(1) in self.fields:
            self.unit.reads.add((self.home, self.line, *self.fields[found.group(1)]))

    def take_literal(self, _, line, __):
        found = LITERAL.search(line)
        if found and found.group(1) in self.structs:
            struct = found.group(1)
            self.unit.reads.add((self.home, self.line, struct, "{}", self.structs[struct]))

    def take_reference(self, _, line, __):
        found = REFERENCE.search(line)
        if found and found.group(1) in self.names:
            self.unit.uses.add((self.home, self.line, self.names[found.group(1)]))

    def take_declaration(self, node, line, tail):
        found = DECLARATION.search(tail)
        if line[1] != "-" or not found:
            return
        name, type_, after = found.groups()
        here = (self.home, self.line, name)
        self.function = here if node.group(2) == "FunctionDecl" else None
        if " static" in after or name.startswith("__builtin_"):
            return
        self.names[node.group(3)] = name
        if self.function or " extern" in after:
            self.unit.declares.add(here)
        else:
            self.unit.defines.add((*here, type_))

    def take_body(self, node, _, __):
        if self.function and len(node.group(1)) == 4:
            self.unit.functions.add(self.function)
            if self.function in self.unit.declares:
                self.unit.declares.discard(self.function)
                self.unit.defines.add((*self.function, ""))
            self.function = None

    def take_struct(self, _, __, tail):
        found = RECORD.search(tail)
        if found and not self.struct:
            self.struct = (self.home, found.group(1))
            self.structs[found.group(1)] = self.home
            self.unit.records[self.struct] = (self.line, {})

    def take_field(self, node, _, tail):
        found = DECLARATION.search(tail)
        if not self.struct:
            return
        name, type_ = found.group(1, 2) if found else ("", "")
        self.fields[node.group(3)] = (self.struct[1], name, self.home)
        self.unit.records[self.struct][1][name] = type_

    NODES = {
        "MemberExpr": take_member,
        "InitListExpr": take_literal,
        "DeclRefExpr": take_reference,
        "FunctionDecl": take_declaration,
        "VarDecl": take_declaration,
        "CompoundStmt": take_body,
        "RecordDecl": take_struct,
        "FieldDecl": take_field,
    }


def read_unit(root, flags, path):
    """One .c file through clang."""
    unit = Unit(path)
    with subprocess.Popen(
        ["clang", *flags, "-w", "-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump", path],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
    ) as clang:
        Tree(unit).read(map(str.rstrip, clang.stdout))
        unit.error = clang.stderr.read()
    return unit


def read_source(root):
    """All files of src/ below a root."""
    files = find_files(root)
    sources = [f for f in files if f.endswith(".c")]
    flags = compiler_flags(root)
    read = functools.partial(read_unit, root, flags)
    with concurrent.futures.ThreadPoolExecutor(1) if len(sources) < 50 else \
            concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        units = list(pool.map(read, sources, chunksize=4))
    return Source(files, {f: read_includes(root, f) for f in files}, units)
