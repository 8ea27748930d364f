# Every dependency is a Debian package; docs/dependencies.md says why each is here.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)

if(GELATTO_BLAS STREQUAL "blis")
    find_path(BLAS_INCLUDE cblas.h PATH_SUFFIXES blis-serial ${CMAKE_LIBRARY_ARCHITECTURE}/blis-serial REQUIRED NO_CACHE)
    find_library(BLAS_LIBRARY blis PATH_SUFFIXES blis-serial ${CMAKE_LIBRARY_ARCHITECTURE}/blis-serial REQUIRED NO_CACHE)
elseif(GELATTO_BLAS STREQUAL "openblas")
    find_path(BLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread REQUIRED NO_CACHE)
    find_library(BLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread REQUIRED NO_CACHE)
else()
    message(FATAL_ERROR "GELATTO_BLAS is blis or openblas, not ${GELATTO_BLAS}")
endif()

add_library(gelatto_dependencies INTERFACE)
target_compile_definitions(gelatto_dependencies INTERFACE GELATTO_BLAS_NAME="${GELATTO_BLAS}")
target_include_directories(gelatto_dependencies SYSTEM INTERFACE ${BLAS_INCLUDE} ${RANDOM123_INCLUDE})
target_link_libraries(gelatto_dependencies INTERFACE OpenMP::OpenMP_C Threads::Threads ZLIB::ZLIB
    PkgConfig::JANSSON PkgConfig::YAML PkgConfig::XXHASH ${BLAS_LIBRARY} m)
# The same as plain linker words, for programs linked with the installed static library.
set(GELATTO_PRIVATE_LIBRARIES ${BLAS_LIBRARY} -ljansson -lyaml -lxxhash -lz ${OpenMP_C_FLAGS}
    -lpthread -lm)
# Optional parts, as the doctor tells them: "hdf5 on, mpi off".
set(GELATTO_PARTS "none")
