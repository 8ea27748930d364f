# One body, several instruction sets: each file below sets its vector header and includes vec.inc.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    file(GLOB AVX2 CONFIGURE_DEPENDS src/kernels/*_avx2.c)
    file(GLOB AVX512 CONFIGURE_DEPENDS src/kernels/*_avx512.c)
    set_source_files_properties(${AVX2} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma;-mf16c")
    set_source_files_properties(${AVX512} PROPERTIES COMPILE_OPTIONS
        "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;-mfma;-mf16c;-mprefer-vector-width=512")
endif()
