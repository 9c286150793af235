#!/bin/sh
# compile_cuda.sh NVCC ARGUMENT...: runs nvcc, again with --extended-lambda if the file has a lambda that is a kernel's
# argument. Every file that is compiled with it takes two thirds longer: nvcc then reads <functional>, too.
#
# What nvcc says is also left beside the object, as OBJECT.messages: reports show warnings when nothing is compiled anew.
object=
previous=
for word; do
    [ "$previous" != -o ] || object=$word
    previous=$word
done
{ messages=$("$@" 2>&1 >&3); } 3>&1
status=$?
case $messages in
*"requires --extended-lambda"*)
    { messages=$("$@" --extended-lambda 2>&1 >&3); } 3>&1
    status=$?
    ;;
esac
[ -z "$object" ] || printf '%s\n' "$messages" | head -c 1048576 >"$object.messages"
[ -z "$messages" ] || printf '%s\n' "$messages" >&2
exit $status
