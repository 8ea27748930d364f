"""Plants one error at a time in a small tree that keeps all rules, and requires that exactly this
error is found."""
import os
import tempfile

from concepts import CONCEPTS


def guarded(path, *lines):
    """A header with its guard."""
    guard = path[len("src/"):].upper().replace("/", "_").replace(".", "_")
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", *lines, "#endif", ""])


def source(*lines):
    return "\n".join([*lines, ""])


def home(concept):
    """A file with the one definition of a concept."""
    if concept.name.startswith("struct "):
        return {
            concept.home: guarded(concept.home, concept.name + " {", "    int unused;", "};"),
            concept.home[:-1] + "c": source(f'#include "{concept.home[4:]}"'),
        }
    header = concept.home[:-1] + "h"
    return {
        header: guarded(header, f"int {concept.name}(void);"),
        concept.home: source(f'#include "{header[4:]}"', f"int {concept.name}(void)", "{", "    return 0;", "}"),
    }


def clean_tree():
    """nn/plan below model/network below task/learn, one format as a table row, one public file, the
    program, an example, and the concepts."""
    files = {
        "include/gelatto.h": source("int glt_learn(void);"),
        "src/core/memory.h": guarded("src/core/memory.h", "void *memory_resize(void *block);"),
        "src/core/memory.c": source('#include "core/memory.h"', "void *memory_resize(void *block)",
                                    "{", "    return block;", "}"),
        "src/nn/plan.h": guarded("src/nn/plan.h", "struct plan {", "    double loss;", "};",
                                 "void plan_run(struct plan *p);"),
        "src/nn/plan.c": source('#include "nn/plan.h"', "void plan_run(struct plan *p)", "{",
                                "    p->loss = 0;", "}"),
        "src/model/network.h": guarded("src/model/network.h", '#include "nn/plan.h"', "struct network {",
                                       "    struct plan *plan;", "};",
                                       "double network_loss(const struct network *n);"),
        "src/model/network.c": source('#include "model/network.h"',
                                      "double network_loss(const struct network *n)", "{",
                                      "    return n->plan->loss;", "}"),
        "src/task/learn.c": source('#include "gelatto.h"', '#include "model/network.h"',
                                   "int glt_learn(void)", "{", "    struct network n = {0};",
                                   "    return network_loss(&n) > 0;", "}"),
        "src/formats/format.h": guarded("src/formats/format.h", "struct format {", "    const char *name;", "};",
                                        "int format_count(void);", "extern const struct format format_ply;"),
        "src/formats/format.c": source('#include "formats/format.h"',
                                       "static const struct format *const formats[] = {&format_ply};",
                                       "int format_count(void)", "{", "    return formats[0]->name != 0;", "}"),
        "src/formats/ply.c": source('#include "formats/format.h"',
                                    'const struct format format_ply = {.name = "ply"};'),
        "src/cli/args.h": guarded("src/cli/args.h", "int args_count(void);"),
        "src/cli/args.c": source('#include "args.h"', "int args_count(void)", "{", "    return 0;", "}"),
        "src/cli/main.c": source('#include "args.h"', '#include "gelatto.h"', "int main(void)", "{",
                                 "    return args_count() + glt_learn();", "}"),
        "examples/learn.c": source('#include "gelatto.h"', "int main(void)", "{", "    return glt_learn();", "}"),
    }
    for concept in CONCEPTS:
        files.update(home(concept))
    return files


# The planted errors: title, files, and the kind, file and part of the text of the expected finding.
FAULTS = [
    ("an include against the direction",
     {"src/nn/bad.c": source('#include "model/network.h"')},
     ("include", "src/nn/bad.c", 'folder nn includes "model/network.h"')),
    ("an include without its folder",
     {"src/nn/bad.c": source('#include "plan.h"')},
     ("include", "src/nn/bad.c", "write the folder")),
    ("a header of the library in the program",
     {"src/cli/bad.c": source('#include "nn/plan.h"')},
     ("include", "src/cli/bad.c", "only gelatto.h")),
    ("a header of the library in an example",
     {"examples/bad.c": source('#include "nn/plan.h"')},
     ("include", "examples/bad.c", "only gelatto.h")),
    ("an unknown folder",
     {"src/odd/odd.c": source("static int unused;")},
     ("include", "src/odd/odd.c", "does not know the folder")),
    ("an allocation", {"src/nn/bad.c": source("static void bad(void)", "{", "    free(0);", "}")},
     ("call", "src/nn/bad.c", "allocation belongs to")),
    ("letters of a locale",
     {"src/nn/bad.c": source("static int bad(int c)", "{", "    return toupper(c);", "}")},
     ("call", "src/nn/bad.c", "follow the locale")),
    ("a print in the library",
     {"src/nn/bad.c": source("static void bad(void)", "{", '    printf("");', "}")},
     ("call", "src/nn/bad.c", "only the program prints")),
    ("a cycle of includes",
     {"src/nn/one.h": guarded("src/nn/one.h", '#include "nn/two.h"'),
      "src/nn/two.h": guarded("src/nn/two.h", '#include "nn/one.h"')},
     ("cycle", "src/nn/one.h", "nn/one, nn/two")),
    ("a cycle of calls, of three modules",
     {"src/nn/one.h": guarded("src/nn/one.h", "int one_a(void);"),
      "src/nn/two.h": guarded("src/nn/two.h", "int two_a(void);", "int two_b(void);"),
      "src/nn/six.h": guarded("src/nn/six.h", "int six_a(void);"),
      "src/nn/one.c": source('#include "nn/one.h"', '#include "nn/two.h"', "int one_a(void)", "{",
                             "    return two_a();", "}"),
      "src/nn/two.c": source('#include "nn/two.h"', '#include "nn/six.h"', "int two_a(void)", "{",
                             "    return six_a();", "}", "int two_b(void)", "{", "    return 0;", "}"),
      "src/nn/six.c": source('#include "nn/six.h"', '#include "nn/one.h"', "int six_a(void)", "{",
                             "    return one_a();", "}")},
     ("cycle", "src/nn/one.c", "cycle of 3 modules: nn/one, nn/six, nn/two")),
    ("a field of a struct that the folder may not know",
     {"src/task/bad.c": source('#include "model/network.h"', "double glt_bad(const struct network *n)", "{",
                               "    return n->plan->loss;", "}")},
     ("reach", "src/task/bad.c", "uses plan.loss of nn/plan.h, which folder task may not know")),
    ("a function that the folder may not know",
     {"src/task/bad.c": source('#include "model/network.h"', "void glt_bad(struct network *n)", "{",
                               "    plan_run(n->plan);", "}")},
     ("reach", "src/task/bad.c", "uses plan_run of nn/plan.h, which folder task may not know")),
    ("a public function that lies above the folder",
     {"src/nn/bad.c": source('#include "gelatto.h"', "int glt_bad(void)", "{", "    return glt_learn();", "}")},
     ("reach", "src/nn/bad.c", "uses glt_learn of task/learn.h, which folder nn may not know")),
    ("a field of a struct whose header the file does not include",
     {"src/model/bad.h": guarded("src/model/bad.h", '#include "model/network.h"'),
      "src/model/worse.c": source('#include "model/bad.h"', "double glt_worse(const struct network *n)", "{",
                                  "    return n->plan != 0;", "}")},
     ("reach", "src/model/worse.c", "uses network.plan of model/network.h, which it does not include")),
    ("a struct made from its fields, whose header the file does not include",
     {"src/model/bad.h": guarded("src/model/bad.h", '#include "model/network.h"'),
      "src/model/worse.c": source('#include "model/bad.h"', "double glt_worse(void)", "{",
                                  "    struct network n = {0};", "    return network_loss(&n);", "}")},
     ("reach", "src/model/worse.c", "uses network.{} of model/network.h, which it does not include")),
    ("a function without its file's stem",
     {"src/nn/bad.h": guarded("src/nn/bad.h", "int worse(void);"),
      "src/nn/bad.c": source('#include "nn/bad.h"', "int worse(void)", "{", "    return 0;", "}")},
     ("name", "src/nn/bad.c", "worse does not start with bad_")),
    ("a variable without its file's stem",
     {"src/nn/bad.h": guarded("src/nn/bad.h", "extern int worse;"),
      "src/nn/bad.c": source('#include "nn/bad.h"', "int worse;")},
     ("name", "src/nn/bad.c", "worse does not start with bad_")),
    ("a file without a header",
     {"src/nn/plan.h": guarded("src/nn/plan.h", "struct plan {", "    double loss;", "};",
                               "void plan_run(struct plan *p);", "void bad_run(void);"),
      "src/nn/bad.c": source('#include "nn/plan.h"', "void bad_run(void)", "{", "}")},
     ("header", "src/nn/bad.c", "exports bad_run and has no header of its own")),
    ("a name declared in another header",
     {"src/nn/plan.h": guarded("src/nn/plan.h", "struct plan {", "    double loss;", "};",
                               "void plan_run(struct plan *p);", "void bad_run(void);"),
      "src/nn/bad.h": guarded("src/nn/bad.h"),
      "src/nn/bad.c": source('#include "nn/plan.h"', "void bad_run(void)", "{", "}")},
     ("header", "src/nn/bad.c", "bad_run is declared in src/nn/plan.h")),
    ("a name declared where it is used",
     {"src/task/bad.c": source("double network_loss(const void *n);", "double glt_bad(void)", "{",
                               "    return network_loss(0);", "}")},
     ("header", "src/task/bad.c", "declares network_loss itself")),
    ("a second class catalogue",
     {"src/nn/bad.c": source("struct bad {", "    char **names;", "    unsigned char (*colours)[3];", "};")},
     ("second", "src/nn/bad.c", "struct bad looks like a second class catalogue")),
    ("a second sample placing",
     {"src/nn/bad.c": source("static void to_unit_sphere(void)", "{", "}")},
     ("second", "src/nn/bad.c", "to_unit_sphere looks like a second sample placing")),
    ("a second canonical sort",
     {"src/nn/bad.c": source("static void sort_xyz(void)", "{", "}")},
     ("second", "src/nn/bad.c", "sort_xyz looks like a second canonical sort")),
    ("a second batch struct",
     {"src/nn/bad.c": source("struct bad {", "    const float *features;", "    const int *labels[5];",
                             "    void *pyramid;", "};")},
     ("second", "src/nn/bad.c", "struct bad looks like a second batch struct")),
    ("a second vote accumulator",
     {"src/nn/bad.c": source("#include <stdint.h>", "struct bad {", "    float *sum;", "    int32_t *count;", "};")},
     ("second", "src/nn/bad.c", "struct bad looks like a second vote accumulator")),
    ("a second string builder",
     {"src/nn/bad.c": source("struct bad {", "    char *bytes;", "    int len, room;", "};")},
     ("second", "src/nn/bad.c", "struct bad looks like a second string builder")),
    ("a second growing array",
     {"src/nn/bad.c": source('#include "core/memory.h"', "void *glt_bad(void *p)", "{",
                             "    return memory_resize(p);", "}")},
     ("second", "src/nn/bad.c", "memory_resize looks like a second growing array")),
    ("a second option-string parser",
     {"src/nn/bad.c": source("char *strchr(const char *, int);", "static const char *bad(const char *s)", "{",
                             "    return strchr(s, '=');", "}")},
     ("second", "src/nn/bad.c", "looks like a second option-string parser")),
    ("a concept without its definition",
     {"src/core/string.h": guarded("src/core/string.h")},
     ("second", "src/core/string.h", "struct string is not defined here")),
]


def write_tree(root, files):
    for path, text in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def self_test(check):
    """0 if the clean tree has no findings and every planted error is the only one found."""
    wrong = 0
    for title, planted, expected in [("nothing", {}, None)] + FAULTS:
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, {**clean_tree(), **planted})
            found = check(root)[0]
        right = [f for f in found if expected and f[:2] == expected[:2] and expected[2] in f[3]]
        if len(right) == len(found) == (1 if expected else 0):
            print(f"found: {title}")
            continue
        wrong += 1
        print(f"NOT as planted: {title}: expected {expected}, found {found}")
    print(f"{len(FAULTS) + 1 - wrong} of {len(FAULTS) + 1} as planted")
    return 1 if wrong else 0
