#!/bin/sh
# On a machine with an NVIDIA GPU: all tests of the solutions, and the same tests under compute-sanitizer's four tools.
# Usage: tools/bench/gpu_check.sh [BUILD_FOLDER]. Ends with one line a run; exit status 0 only if all are clean.
set -u
build=${1:-build}
failed=0


report() {  # name, exit status, log
    if [ "$2" -eq 0 ]; then
        echo "clean   $1"
    else
        failed=1
        echo "FAILED  $1"
        tail -n 25 "$3"
    fi
}

for test in "$build"/tests/*_test; do
    case $test in *skeleton*) continue ;; esac
    name=$(basename "$test")
    log=$build/$name.log
    "$test" --gtest_brief=1 >"$log" 2>&1
    report "$name" $? "$log"
    for tool in memcheck racecheck initcheck synccheck; do
        log=$build/$name.$tool.log
        compute-sanitizer --tool "$tool" --error-exitcode 1 "$test" --gtest_brief=1 >"$log" 2>&1
        report "$name under $tool" $? "$log"
    done
done
exit $failed
