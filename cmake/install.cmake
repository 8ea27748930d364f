# cmake --install: headers, shared library, the static one as a single object whose hidden names are
# local, program, pkg-config file, CMake package, manual pages, completion, documentation, models, grids.

# Short internal names must not meet a user's own: link all objects into one, make hidden local.
set(MERGED ${CMAKE_CURRENT_BINARY_DIR}/merged)
add_custom_command(OUTPUT ${MERGED}/libgelatto.a
    COMMAND ${CMAKE_COMMAND} -E make_directory ${MERGED}
    COMMAND ${CMAKE_LINKER} -r -o ${MERGED}/gelatto.o $<TARGET_OBJECTS:gelatto_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${MERGED}/gelatto.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${MERGED}/libgelatto.a
    COMMAND ${CMAKE_AR} qc ${MERGED}/libgelatto.a ${MERGED}/gelatto.o
    COMMAND ${CMAKE_RANLIB} ${MERGED}/libgelatto.a
    DEPENDS gelatto_objects $<TARGET_OBJECTS:gelatto_objects>
    COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(gelatto_merged ALL DEPENDS ${MERGED}/libgelatto.a)

string(REPLACE ";" " " GELATTO_PRIVATE_LINE "${GELATTO_PRIVATE_LIBRARIES}")
file(RELATIVE_PATH INCLUDES_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    ${CMAKE_INSTALL_FULL_INCLUDEDIR})

include(CMakePackageConfigHelpers)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gelatto)
configure_file(cmake/gelatto.pc.in gelatto.pc @ONLY)
configure_package_config_file(cmake/gelattoConfig.cmake.in gelattoConfig.cmake
    INSTALL_DESTINATION ${PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(gelattoConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS gelatto EXPORT gelatto LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT gelatto NAMESPACE gelatto:: DESTINATION ${PACKAGE_DIR} FILE gelattoTargets.cmake)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gelattoConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/gelattoConfigVersion.cmake DESTINATION ${PACKAGE_DIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gelatto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${MERGED}/libgelatto.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/gelatto.h include/gelatto.hpp include/gelatto_tool.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The pages lie to each other as they do here, so that their links work.
install(FILES CHANGELOG.md CONTRIBUTING.md LICENSE README.md RESULTS.md SECURITY.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples results DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL FILES_MATCHING PATTERN "*.md")
# What lies in models/ when it is installed; the folder may be empty or missing.
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gelatto/models OPTIONAL
    FILES_MATCHING PATTERN "*.safetensors" PATTERN "*.md")
install(DIRECTORY grids DESTINATION ${CMAKE_INSTALL_DATADIR}/gelatto FILES_MATCHING PATTERN "*.yaml")

if(TARGET gelatto_mpi)
    install(TARGETS gelatto_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gelatto)
endif()
if(TARGET gelatto_program)
    install(TARGETS gelatto_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # Manual pages and completion come from the program's own tables, so it must run here.
    if(NOT CMAKE_CROSSCOMPILING)
        set(PAGES ${CMAKE_CURRENT_BINARY_DIR}/pages)
        add_custom_command(OUTPUT ${PAGES}/gelatto.1
            COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:gelatto_program> -DPAGES=${PAGES}
                -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pages.cmake
            DEPENDS gelatto_program cmake/pages.cmake VERBATIM)
        add_custom_target(gelatto_pages ALL DEPENDS ${PAGES}/gelatto.1)
        install(DIRECTORY ${PAGES}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
            FILES_MATCHING PATTERN "*.1")
        install(FILES ${PAGES}/gelatto.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gelatto)
        install(FILES ${PAGES}/gelatto.zsh
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _gelatto)
        install(FILES ${PAGES}/gelatto.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
endif()
