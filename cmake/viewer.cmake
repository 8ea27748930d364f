# Embeds the page of gelatto view: cmake -DSOURCE=viewer -DOUT=file.c -P viewer.cmake
#
# A page opened from a file cannot import modules, so the modules are joined to one. They import
# names from each other only ("import {a, b} from './x.js';"), none of them twice, so joining is
# leaving out these lines and the word export. The order is that of viewer/modules.txt: a module
# stands behind those it imports. A name that two modules define is a syntax error in the browser.
cmake_minimum_required(VERSION 3.25)

# C array NAME of the bytes in a file
function(embed name file)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    file(APPEND ${OUT}.new "const unsigned char ${name}[] = {\n${hex}};\n")
    file(SIZE ${file} size)
    file(APPEND ${OUT}.new "const size_t ${name}_size = ${size};\n")
endfunction()

# The SHA-256 that the Content-Security-Policy names
function(embed_digest name file)
    file(SHA256 ${file} hex)
    file(APPEND ${OUT}.new "const char ${name}_sha256[] = \"${hex}\";\n")
endfunction()

file(STRINGS ${SOURCE}/modules.txt modules)
set(script ${OUT}.js)
file(WRITE ${script} "'use strict';\n")
foreach(module IN LISTS modules)
    file(READ ${SOURCE}/${module} text)
    string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    file(APPEND ${script} "${text}")
endforeach()

file(WRITE ${OUT}.new "/* Made by cmake/viewer.cmake from viewer/. */\n#include \"viewer_files.h\"\n")
embed(viewer_script ${script})
embed_digest(viewer_script ${script})
embed(viewer_style ${SOURCE}/style.css)
embed_digest(viewer_style ${SOURCE}/style.css)
embed(viewer_body ${SOURCE}/body.html)
file(WRITE ${OUT}.h.new "/* The page of gelatto view; see cmake/viewer.cmake. */
#include <stddef.h>
extern const unsigned char viewer_script[], viewer_style[], viewer_body[];
extern const size_t viewer_script_size, viewer_style_size, viewer_body_size;
extern const char viewer_script_sha256[], viewer_style_sha256[];
")
get_filename_component(folder ${OUT} DIRECTORY)
file(COPY_FILE ${OUT}.h.new ${folder}/viewer_files.h ONLY_IF_DIFFERENT)
file(RENAME ${OUT}.new ${OUT})
