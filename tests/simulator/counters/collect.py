#!/usr/bin/env python3
"""Makes one table of what record.sh left in a folder: one row per launch, columns in the terms of --json.

    tests/simulator/counters/collect.py FOLDER > tests/simulator/counters/h200.csv
"""
import csv
import pathlib
import sys

LSU = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
COLUMNS = {
    "inst_executed": ["smsp__inst_executed.sum"],
    "thread_inst_executed": ["smsp__thread_inst_executed.sum"],
    "global_load_requests": [LSU.format("requests", "global", "ld")],
    "global_load_sectors": [LSU.format("sectors", "global", "ld")],
    "global_store_requests": [LSU.format("requests", "global", "st")],
    "global_store_sectors": [LSU.format("sectors", "global", "st")],
    "global_atomic_requests": [LSU.format("requests", "global", op) for op in ("atom", "red")],
    "global_atomic_sectors": [LSU.format("sectors", "global", op) for op in ("atom", "red")],
    "shared_load_requests": ["smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_ldsm.sum"],
    "shared_load_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    "shared_store_requests": ["smsp__inst_executed_op_shared_st.sum"],
    "shared_store_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    "shared_atomic_requests": ["smsp__inst_executed_op_shared_atom.sum"],
    "shared_atomic_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
    "shared_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
    "copies_async": ["smsp__inst_executed_op_ldgsts.sum"],
    "local_load_requests": [LSU.format("requests", "local", "ld")],
    "local_load_sectors": [LSU.format("sectors", "local", "ld")],
    "local_store_requests": [LSU.format("requests", "local", "st")],
    "local_store_sectors": [LSU.format("sectors", "local", "st")],
    "branches": ["smsp__inst_executed_op_branch.sum"],
}
GROUPS = ["memory", "patterns", "matrix", "others", "further", "probe-4", "probe-8", "probe-16", "probe-copies", "probe-atomics",
          "probe-1", "probe-2"]


def launches(path):
    lines = [line for line in path.open() if line.startswith('"')]
    rows = list(csv.reader(lines))
    for row in rows[2:]:  # names, units, then one row a launch
        yield dict(zip(rows[0], row))


def main():
    folder = pathlib.Path(sys.argv[1])
    out = csv.writer(sys.stdout, delimiter=";", lineterminator="\n")
    out.writerow(["group", "name", *COLUMNS])
    for group in GROUPS:
        if not (folder / f"{group}.names").exists():
            continue  # recorded in parts
        names = (folder / f"{group}.names").read_text().splitlines()
        names = [n for n in names if not n.startswith("==")]
        rows = list(launches(folder / f"{group}.ncu.csv"))
        if len(names) != len(rows):
            sys.exit(f"{group}: {len(names)} announcements, {len(rows)} launches")
        for name, row in zip(names, rows):
            values = [sum(int(float(row[m].replace(",", ""))) for m in metrics) for metrics in COLUMNS.values()]
            out.writerow([group, name, *values])


main()
