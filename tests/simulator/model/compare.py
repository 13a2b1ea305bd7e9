#!/usr/bin/env python3
"""Counts what every timed rung does, for the time model, and compares modelled with measured times.

    tests/simulator/model/compare.py BUILD [--times PATH...] [--only-times] [--jobs N] [LESSON...]

Build first: `ninja -C BUILD model_times model_table solutions`. Runs model_times for the rungs that h200_times.json
knows and the lessons asked for (all), lesson by lesson, puts the launches' counters into inputs.json, and has
model_table print the table. --times takes medians from what `ladder run --json` or `ladder dev record` wrote, such as
lessons/*/measured.json. A rung takes seconds, some take minutes; what was counted stays when it is interrupted.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
WANTED = ("name", "grid", "block", "dynamic_shared_bytes", "counters", "model")
COPIES = ("01_vector_add", "24_streams_and_overlap")  # copies take their time, so the runtime's clock is asked
# All blocks are run where managed pages that move must have been written, and where blocks stay and take tiles from a
# counter: some of them would do the work of all.
ALL_BLOCKS = ("01_vector_add", "13_copy_if.10_next_tile", "12_prefix_sum.11_next_tile")
SORTS = ("14_merge_sort",)  # what one launch computes decides what the next one does: all blocks, on a part of the data
PART = 16
MOST_LAUNCHES = 64  # of one rung are kept; with more it is the host that takes the time, and the clock is asked


def take_times(paths, times):
    for path in paths:
        run = json.loads(pathlib.Path(path).read_text())
        medians = {r["rung"]: {"ms": round(r["timing"]["median_ms"], 5), "size": r["timing"]["size"]}
                   for r in run["rungs"] if r.get("timing")}
        if medians:
            times[run["lesson"]] = medians


def model(build, lesson, rung):
    modules = build / "modules" / lesson
    command = [build / "bin/model_times", modules / "lesson.so", modules / f"{rung}.solution.so", rung]
    environment = dict(os.environ)
    if lesson in SORTS:
        command.append(str(PART))
    if lesson in SORTS or lesson in ALL_BLOCKS or f"{lesson}.{rung}" in ALL_BLOCKS:
        environment["LADDER_SIM_SAMPLED_BLOCKS"] = "0"
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=1200, env=environment)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(run.stdout) if run.returncode == 0 else None


def enlarged(kernels):
    """Launches for all of the data: each has PART times the blocks, and the last pass is made log2(PART) times more."""
    names = [k["name"] for k in kernels]
    period = next(p for p in range(1, len(names)) if names[-p:] == names[-2 * p:-p])
    for k in kernels:
        k["grid"][0] *= PART
        k["counters"] = {name: n * PART for name, n in k["counters"].items()}
        for name in k["model"]:
            if name not in ("registers", "shared_bytes", "longest_warp", "slowest_warp", "chain_lanes"):
                k["model"][name] *= PART
    return kernels + kernels[-period:] * int(math.log2(PART))


def entry(lesson, run):
    kernels = [{key: k[key] for key in WANTED} for k in run["kernels"]]
    if lesson in COPIES or len(kernels) >= MOST_LAUNCHES:
        return {"size": run["size"], "clock_ms": run["milliseconds"]}
    return {"size": run["size"], "kernels": enlarged(kernels) if lesson in SORTS else kernels}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--times", nargs="*", default=[])
    parser.add_argument("--only-times", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="rungs at a time; each wants up to 4 GiB of memory")
    parser.add_argument("lessons", nargs="*")
    options = parser.parse_args()
    times_file, inputs_file = HERE / "h200_times.json", HERE / "inputs.json"
    times = json.loads(times_file.read_text()) if times_file.exists() else {}
    inputs = json.loads(inputs_file.read_text()) if inputs_file.exists() else {}
    take_times(options.times, times)
    inputs = {lesson: {r: run for r, run in rungs.items() if r in times.get(lesson, {})} for lesson, rungs in inputs.items()}
    times_file.write_text(json.dumps(times, indent=1, sort_keys=True) + "\n")
    wanted = [(lesson, rung) for lesson in sorted(times) if not options.only_times for rung in times[lesson]
              if not options.lessons or any(lesson.startswith(start) for start in options.lessons)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        under_way = {pool.submit(model, options.build, *which): which for which in wanted}
        for done in concurrent.futures.as_completed(under_way):
            (lesson, rung), run = under_way[done], done.result()
            if run is None or run["size"] != times[lesson][rung]["size"]:
                print(f"{lesson}.{rung}: not counted", run and run["size"], flush=True)
                continue
            inputs.setdefault(lesson, {})[rung] = entry(lesson, run)
            print(f"{lesson}.{rung}: counted, {len(run['kernels'])} launches", flush=True)
            inputs_file.write_text(json.dumps(inputs, separators=(",", ":"), sort_keys=True) + "\n")
    subprocess.run([options.build / "bin/model_table"], check=True)


main()
