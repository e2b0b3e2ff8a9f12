#!/bin/sh
# usage: parallel.sh MACHINES: a file with a machine for ssh on each line; ':' is this one.
# Each machine has pincheck, and gets hosts.txt and Pins. One after the other they check the parts that are left.
set -eu
parts=8
mkdir -p results
rm -f results/*.jsonl
# Statuses below 64 are verdicts; a part that a machine did not get done goes to another.
# shellcheck disable=SC2016
seq "$parts" | parallel --sshloginfile "$1" --jobs 1 --retries 3 --joblog results/log \
    --workdir . --basefile hosts.txt --basefile Pins --return results/{}.jsonl --cleanup \
    'mkdir -p results
     pincheck check --targets hosts.txt --pins Pins --shard {}/'"$parts"' -f jsonl -o results/{}.jsonl
     status=$?
     [ "$status" -lt 64 ] || exit "$status"' || echo "a part was not done, see results/log" >&2
# It names the targets without a result, and ends with 2 for them.
pincheck merge --targets hosts.txt results/*.jsonl
