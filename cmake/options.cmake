option(GELATTO_TESTS "Build the tests" ON)
option(GELATTO_BENCH "Build the benches" ON)
option(GELATTO_WERROR "Warnings are errors" ON)
set(GELATTO_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
set(GELATTO_LZF "AUTO" CACHE STRING "binary_compressed PCD through liblzf: AUTO, ON or OFF")
set(GELATTO_MPI "AUTO" CACHE STRING "The plug-in for MPI: AUTO, ON or OFF")
option(GELATTO_COVERAGE "Instrument for llvm-cov" OFF)
option(GELATTO_FUZZ "Build the libFuzzer targets (clang)" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -g1")

# Contraction is off everywhere: FMA only where an intrinsic asks for it, so every build agrees.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)
add_compile_definitions(_GNU_SOURCE)
# No path of this machine in what is built: messages of asserts and debug information are relative.
# Coverage keeps them: llvm-cov finds the sources by them.
if(NOT GELATTO_COVERAGE)
    add_compile_options(-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=.
        -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=build)
endif()

# Hardening; script/check-binary looks for all of it in every program and library. Sanitizers bring
# their own checks.
if(NOT GELATTO_SANITIZE AND NOT GELATTO_COVERAGE)
    set(GELATTO_HARDENING "stack protector, stack clash protection, full RELRO, PIE")
    add_compile_options(-fstack-protector-strong -fstack-clash-protection)
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        string(APPEND GELATTO_HARDENING ", FORTIFY 2")
        add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    endif()
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        string(APPEND GELATTO_HARDENING ", CET")
        add_compile_options(-fcf-protection=full)
    endif()
else()
    set(GELATTO_HARDENING "none: a build with sanitizers or for coverage")
endif()

if(GELATTO_SANITIZE)
    add_compile_options(-fsanitize=${GELATTO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${GELATTO_SANITIZE})
endif()
if(GELATTO_COVERAGE)
    add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
    add_link_options(-fprofile-instr-generate)
endif()
if(GELATTO_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
        -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/uncovered.txt)
endif()

add_library(gelatto_warnings INTERFACE)
target_compile_options(gelatto_warnings INTERFACE -Wall -Wextra -Wshadow -Wvla -Wpointer-arith
    -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wwrite-strings
    $<$<BOOL:${GELATTO_WERROR}>:-Werror>)
