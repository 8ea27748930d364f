# Writes manual pages and completion scripts: cmake -DPROGRAM=gelatto -DPAGES=folder -P pages.cmake
file(REMOVE_RECURSE ${PAGES})
file(MAKE_DIRECTORY ${PAGES})
execute_process(COMMAND ${PROGRAM} man --list OUTPUT_VARIABLE names
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
foreach(name IN LISTS names)
    string(REGEX REPLACE "^gelatto-?" "" command ${name})
    execute_process(COMMAND ${PROGRAM} man ${command} OUTPUT_FILE ${PAGES}/${name}.1
        COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(shell bash zsh fish)
    execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${PAGES}/gelatto.${shell}
        COMMAND_ERROR_IS_FATAL ANY)
endforeach()
