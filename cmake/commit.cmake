# Writes the commit of a source tree into a header, only when it changed, so that a build recompiles
# the one file that includes it: cmake -DSOURCE=folder -DHEADER=file -P commit.cmake
# A tarball of git archive has it in commit.txt. "unknown" where neither that nor a git tree of our own
# is; "+changes" when what is compiled differs from the commit.
cmake_minimum_required(VERSION 3.25)
set(commit unknown)
file(READ ${CMAKE_CURRENT_LIST_DIR}/commit.txt archived)
find_program(GIT git)
if(archived MATCHES "^([0-9a-f]+)\n")
    string(SUBSTRING ${CMAKE_MATCH_1} 0 12 commit)
elseif(GIT)
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
