#!/bin/bash
# Records what Nsight Compute counts for every microkernel: run on a machine with a GPU, nvcc and ncu on PATH.
#   tests/simulator/counters/record.sh FOLDER   writes FOLDER/GROUP.names and FOLDER/GROUP.ncu.csv for each group;
#   tests/simulator/counters/collect.py FOLDER > tests/simulator/counters/h200.csv   makes the table that the tests read.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
groups="memory patterns matrix others further probe-4 probe-8 probe-16 probe-copies probe-atomics probe-1 probe-2"
mkdir -p "$out"
nvcc -gencode arch=compute_80,code=sm_90 -O3 -lineinfo -std=c++20 "$here/microkernels.cu" -o "$out/microkernels"

wanted="smsp__inst_executed smsp__thread_inst_executed smsp__inst_executed_op_branch
  l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_ld
  l1tex__t_requests_pipe_lsu_mem_global_op_st l1tex__t_sectors_pipe_lsu_mem_global_op_st
  l1tex__t_requests_pipe_lsu_mem_global_op_atom l1tex__t_sectors_pipe_lsu_mem_global_op_atom
  l1tex__t_requests_pipe_lsu_mem_global_op_red l1tex__t_sectors_pipe_lsu_mem_global_op_red
  l1tex__t_requests_pipe_lsu_mem_local_op_ld l1tex__t_sectors_pipe_lsu_mem_local_op_ld
  l1tex__t_requests_pipe_lsu_mem_local_op_st l1tex__t_sectors_pipe_lsu_mem_local_op_st
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom l1tex__data_pipe_lsu_wavefronts_mem_shared
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
  smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st smsp__inst_executed_op_shared_atom
  smsp__inst_executed_op_ldsm smsp__inst_executed_op_ldgsts smsp__inst_executed_op_global_ld
  smsp__inst_executed_op_global_st smsp__inst_executed_op_global_red smsp__inst_executed_op_global_atom
  smsp__sass_branch_targets smsp__sass_branch_targets_threads_divergent"
ncu --query-metrics --chip gh100 > "$out/metrics.txt" || true
metrics=
for m in $wanted; do
  if ! grep -q l1tex__ "$out/metrics.txt" || grep -q "^$m " "$out/metrics.txt"; then metrics=$metrics,$m.sum; else echo "no metric $m"; fi
done
without_sass=$(tr , '\n' <<< "${metrics#,}" | grep -v _sass_ | paste -sd,)  # those take a replay of their own
for g in ${GROUPS_TO_RECORD:-$groups}; do
  case $g in probe-*) metrics=$without_sass ;; esac
  timeout "${RECORD_SECONDS:-100}" ncu --csv --page raw --print-units base --clock-control none --cache-control none \
    --metrics "${metrics#,}" --log-file "$out/$g.ncu.csv" "$out/microkernels" "$g" > "$out/$g.names" || echo "$g: stopped"
done
