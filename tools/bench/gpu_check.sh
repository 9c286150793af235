#!/bin/sh
# On a machine with an NVIDIA GPU: the tests of the solutions, and the same tests under compute-sanitizer's four tools.
# Usage: tools/bench/gpu_check.sh [BUILD_FOLDER [TEST...]], for example build scan_test; without a name, all solutions.
# Each test is cut into SHARDS pieces (4), as racecheck of a whole one takes minutes, and JOBS pieces share the GPU (16).
# Ends with one line a piece, its seconds; exit status 0 only if all are clean.
#
# Kernels that launch kernels are beyond compute-sanitizer 2025.3: racecheck, initcheck and synccheck say so and count it
# as an error. memcheck is clean on them (below, lab 12's program) but for tests that let few launches wait: there it
# reports the write of a launch's parameters, which is the compiler's code, as out of bounds.
# So of lab 12's tests only those of the tasks that launch none are run, and with memcheck only: in one program, the
# others stand in the way of the other tools.
set -u
build=${1:-build}
[ $# -gt 0 ] && shift
if [ $# -eq 0 ]; then
    for test in "$build"/tests/*_test; do
        case $test in *skeleton*) ;; *) set -- "$@" "$(basename "$test")" ;; esac
    done
fi

one='
    test=$1 tool=$2 shard=$3
    log=$build/$test.$tool.$shard.log
    begin=$(date +%s)
    tasks="*"
    case $test-$tool in quicksort_test-memcheck) tasks="*segmented_scan*:*sample_partition*" ;; esac
    set --
    [ "$tool" = plain ] || set -- compute-sanitizer --tool "$tool" --error-exitcode 1
    case $test in
        *_test) set -- "$@" "$build/tests/$test" --gtest_brief=1 "--gtest_filter=$tasks" ;;
        *) set -- "$@" "$build/solution12" --task "$test" --n 20000 --check ;;
    esac
    GTEST_TOTAL_SHARDS=$SHARDS GTEST_SHARD_INDEX=$shard "$@" >"$log" 2>&1
    status=$?
    line="$test, $tool, piece $((shard + 1)), $(($(date +%s) - begin)) s"
    [ $status -eq 0 ] && echo "clean   $line" && exit
    echo "FAILED  $line"
    tail -n 25 "$log"
    exit 1'
SHARDS=${SHARDS:-4}
export build SHARDS
for test in "$@"; do
    for tool in plain memcheck racecheck initcheck synccheck; do
        case $test-$tool in quicksort_test-*check) [ $tool = memcheck ] || continue ;; esac
        for shard in $(seq 0 $((SHARDS - 1))); do echo "$test $tool $shard"; done
    done
    [ "$test" = quicksort_test ] && printf '%s memcheck 0\n' one_thread block_partition
done | xargs -P "${JOBS:-16}" -n 3 sh -c "$one" gpu_check
