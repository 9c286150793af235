#!/bin/sh
# On a machine with an NVIDIA GPU: the tests of the solutions, and the same tests under compute-sanitizer's four tools.
# Usage: tools/bench/gpu_check.sh [BUILD_FOLDER [TEST...]], for example build scan_test; without a name, all solutions.
# JOBS runs share the GPU (8). Ends with one line a run, its seconds; exit status 0 only if all are clean.
#
# Kernels that launch kernels are beyond compute-sanitizer 2025.3: racecheck, initcheck and synccheck say so and count it
# as an error, and memcheck reports the write of each launch's parameters, at the launch's line, as out of bounds.
# So of lab 12, memcheck sees the rungs that launch none, and the other three tools nothing.
set -u
build=${1:-build}
[ $# -gt 0 ] && shift
if [ $# -eq 0 ]; then
    for test in "$build"/tests/*_test; do
        case $test in *skeleton*) ;; *) set -- "$@" "$(basename "$test")" ;; esac
    done
fi

one='
    test=$1 tool=$2
    log=$build/$test.$tool.log
    begin=$(date +%s)
    if [ "$tool" = plain ]; then
        "$build/tests/$test" --gtest_brief=1 >"$log" 2>&1
    else
        rungs="*"
        [ "$test" = quicksort_test ] && rungs="*segmented_scan*:*sample_partition*"
        compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/tests/$test" --gtest_brief=1 \
            --gtest_filter="$rungs" >"$log" 2>&1
    fi
    status=$?
    if [ $status -eq 0 ]; then
        echo "clean   $test, $tool, $(($(date +%s) - begin)) s"
    else
        echo "FAILED  $test, $tool, $(($(date +%s) - begin)) s"
        tail -n 25 "$log"
        exit 1
    fi'
export build
for test in "$@"; do
    for tool in plain memcheck racecheck initcheck synccheck; do
        case $test-$tool in quicksort_test-*check) [ $tool = memcheck ] || continue ;; esac
        echo "$test $tool"
    done
done | xargs -P "${JOBS:-8}" -n 2 sh -c "$one" gpu_check
