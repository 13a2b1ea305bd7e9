#!/bin/bash
# Runs one fuzzer from its seeds, and fails when it finds something; what it found is left below BUILD/fuzz/NAME.
# Usage: run.sh BUILD ptx|fatbin SECONDS
set -eu
build=$1 name=$2 seconds=$3
work=$build/fuzz/$name
mkdir -p "$work/corpus" "$work/found"
dictionary=$work/words.dict
# The words of all seeds: directives, qualifiers, opcodes.
grep -aohE '[.%]?[a-z_][a-z0-9_:]+' "$build"/tests/simulator/fuzz/seeds/ptx/*.ptx | sort -u | sed 's/.*/"&"/' >"$dictionary"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
options=(-max_total_time="$seconds" -timeout=20 -malloc_limit_mb=256 -rss_limit_mb=2048 -max_len=65536 -close_fd_mask=1)
[ "$name" = fatbin ] || options+=(-dict="$dictionary")
"$build/bin/fuzz_$name" "${options[@]}" -artifact_prefix="$work/found/" -print_final_stats=1 \
  "$work/corpus" "$build/tests/simulator/fuzz/seeds/$name"
