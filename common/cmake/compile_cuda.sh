#!/bin/sh
# compile_cuda.sh NVCC ARGUMENT...: runs nvcc, again with --extended-lambda if the file has a lambda that is a kernel's
# argument. Every file that is compiled with it takes two thirds longer: nvcc then reads <functional>, too.
{ messages=$("$@" 2>&1 >&3); } 3>&1
status=$?
case $messages in
*"requires --extended-lambda"*) exec "$@" --extended-lambda ;;
esac
[ -z "$messages" ] || printf '%s\n' "$messages" >&2
exit $status
