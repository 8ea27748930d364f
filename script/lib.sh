# Shared by script/test and script/nightly; sourced from the root of the source tree. Every check
# counts as one; for a test program every case counts, another test counts as one; report_and_exit
# prints the sums.
passed=0
failed=0
skipped=0
failures=()
skips=()
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
jobs=$(nproc)
started=$SECONDS

stage() {
    printf '%4ds  %s\n' $((SECONDS - started)) "$*"
}

# check NAME COMMAND...: quiet unless it fails. A command that cannot run here exits with 77 and counts as skipped.
check() {
    local name=$1 code=0
    shift
    "$@" >"$logs/check" 2>&1 || code=$?
    if [ "$code" -eq 0 ]; then
        passed=$((passed + 1))
    elif [ "$code" -eq 77 ]; then
        skipped=$((skipped + 1))
        skips+=("$name: $(tail -n 1 "$logs/check")")
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAILED: $name"
        tail -n 60 "$logs/check" | sed 's/^/    /'
        return 1
    fi
}

# fuzz_each RUNS: runs every fuzz program, one per core at a time; one check each.
fuzz_each() {
    local runs=$1 name
    fuzz_programs | xargs -P "$jobs" -I '{}' sh -c \
        'script/fuzz "build/fuzz/tests/{}" "$1" >"$2/{}" 2>&1; echo $? >"$2/{}.code"' sh "$runs" "$logs"
    for name in $(fuzz_programs); do
        check "$name" finished "$logs/$name"
    done
}

# finished LOG: prints a log, and succeeds if its program succeeded.
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

# run_ctest NAME PRESET [CTEST OPTION...]: counts every case; prints only what failed.
run_ctest() {
    local name=$1 preset=$2
    shift 2
    stage "ctest $name"
    local log=$logs/ctest good bad unrun which
    "${ctest_under[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" \
        >"$log" 2>&1 || true
    read -r good bad unrun which < <(count_cases "build/$preset/Testing/Temporary/LastTest.log" "$log")
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + unrun))
    [ "$unrun" -eq 0 ] || skips+=("ctest $name:$which")
    if [ $((good + bad + unrun)) -eq 0 ]; then
        failed=$((failed + 1))
        failures+=("ctest $name ran nothing")
        tail -n 20 "$log"
    elif [ "$bad" -gt 0 ]; then
        failures+=("ctest $name: $bad of $((good + bad))")
        grep -vE '^ *[0-9]+/[0-9]+ Test.*Passed|^ *Start +[0-9]+:' "$log" | tail -n 200
    fi
}

# count_cases LAST_TEST_LOG CTEST_OUTPUT: prints how many cases passed, failed and were skipped,
# then the tests with skipped cases. CTest knows only programs: cases are in the summaries of
# cmocka, in the first file.
count_cases() {
    awk '
        function number(text) { return match($0, text " [0-9]+ test") ? substr($0, RSTART + 13) + 0 : 0 }
        FILENAME == ARGV[1] && /^[0-9]+\/[0-9]+ Test: / { name = $3 }
        FILENAME == ARGV[1] {
            good[name] += number("\\[  PASSED  \\]")
            bad[name] += number("\\[  FAILED  \\]")
            unrun[name] += number("\\[  SKIPPED \\]")
            next
        }
        !match($0, /Test +#[0-9]+: [^ ]+/) { next }
        {
            name = substr($0, RSTART, RLENGTH)
            sub(/.* /, "", name)
            cases = good[name] + bad[name] + unrun[name]
            if (/ Passed /)
                good[name] += cases == 0
            else if (/\*\*\*Skipped/)
                unrun[name] += unrun[name] == 0
            else
                bad[name] += bad[name] == 0
            passed += good[name]
            failed += bad[name]
            skipped += unrun[name]
            if (unrun[name])
                which = which " " name " (" unrun[name] ")"
        }
        END { print passed + 0, failed + 0, skipped + 0, which }' "$1" "$2"
}
ctest_under=()

# Names of the libFuzzer programs: one per tests/fuzz/fuzz_NAME.c.
fuzz_programs() {
    local source
    for source in tests/fuzz/fuzz_*.c; do
        [ ! -f "$source" ] || basename "$source" .c
    done
}

# The thread sanitizer does not support every layout of the address space.
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
    for name in "${skips[@]}"; do
        echo "skipped: $name"
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
