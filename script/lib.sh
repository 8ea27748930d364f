# What script/test and script/nightly share; sourced, from the root of the source tree.
# Every check counts as one, every CTest test as one; report_and_exit prints the sums.
passed=0
failed=0
failures=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
jobs=$(nproc)
started=$SECONDS

stage() {
    printf '%4ds  %s\n' $((SECONDS - started)) "$*"
}

# check NAME COMMAND...: quiet unless it fails.
check() {
    local name=$1
    shift
    if "$@" >"$logs/check" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAILED: $name"
        tail -n 60 "$logs/check" | sed 's/^/    /'
        return 1
    fi
}

# fuzz_each RUNS: every fuzz program, as many at once as there are cores; one check each.
fuzz_each() {
    local runs=$1 name
    fuzz_programs | xargs -P "$jobs" -I '{}' sh -c \
        'script/fuzz "build/fuzz/tests/{}" "$1" >"$2/{}" 2>&1; echo $? >"$2/{}.code"' sh "$runs" "$logs"
    for name in $(fuzz_programs); do
        check "$name" finished "$logs/$name"
    done
}

# finished LOG: tells a log, and succeeds if its program did.
finished() {
    cat "$1"
    return "$(cat "$1.code")"
}

# build PRESET [TARGET...]: configure and build, one check.
build() {
    local preset=$1
    shift
    stage "build $preset"
    check "build $preset" configure_and_build "$preset" "$@"
}

configure_and_build() {
    local preset=$1
    shift
    cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# run_ctest NAME PRESET [CTEST OPTION...]: counts every test; prints only what failed.
run_ctest() {
    local name=$1 preset=$2
    shift 2
    stage "ctest $name"
    local log=$logs/ctest total wrong
    "${ctest_under[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" \
        >"$log" 2>&1 || true
    wrong=$(sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\1/p' "$log")
    total=$(sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\2/p' "$log")
    if [ -z "$total" ]; then
        failed=$((failed + 1))
        failures+=("ctest $name ran nothing")
        tail -n 20 "$log"
        return
    fi
    passed=$((passed + total - wrong))
    failed=$((failed + wrong))
    if [ "$wrong" -gt 0 ]; then
        failures+=("ctest $name: $wrong of $total")
        grep -vE '^ *[0-9]+/[0-9]+ Test.*Passed|^ *Start +[0-9]+:' "$log" | tail -n 200
    fi
}
ctest_under=()

# Names of the libFuzzer programs: one per tests/fuzz/fuzz_NAME.c.
fuzz_programs() {
    local source
    for source in tests/fuzz/fuzz_*.c; do
        [ ! -f "$source" ] || basename "$source" .c
    done
}

# The thread sanitizer does not bear every layout of the address space.
tsan_layout() {
    ctest_under=()
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        ctest_under=(setarch "$(uname -m)" -R)
    fi
}

report_and_exit() {
    stage 'done'
    local name
    for name in "${failures[@]}"; do
        echo "failed: $name"
    done
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
