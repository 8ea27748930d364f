# The script is loaded and asked like bash asks it.
eval "$("$GELATTO" completion bash)"
ask() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _gelatto
    echo "${COMPREPLY[@]:-}"
}
ask gelatto comp
ask gelatto options --pre
ask gelatto version --qu
