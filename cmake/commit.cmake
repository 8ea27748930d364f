# Writes the commit of a source tree into a header, only when it changed, so that a build recompiles
# the one file that includes it: cmake -DSOURCE=folder -DHEADER=file -P commit.cmake
# "unknown" outside a git tree of our own; "+changes" when what is compiled differs from the commit.
cmake_minimum_required(VERSION 3.25)
set(commit unknown)
find_program(GIT git)
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
        OUTPUT_VARIABLE prefix RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed AND prefix STREQUAL "")
        execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
            OUTPUT_VARIABLE found RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT failed AND found MATCHES "^[0-9a-f]+$")
            set(commit ${found})
            execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD -- src include cmake
                CMakeLists.txt RESULT_VARIABLE changed ERROR_QUIET)
            if(changed)
                string(APPEND commit "+changes")
            endif()
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define GELATTO_COMMIT \"@commit@\"\n" @ONLY)
