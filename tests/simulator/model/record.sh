#!/bin/bash
# Records how long every rung of every lesson takes: run on a machine with the GPU, in a built checkout.
#   tests/simulator/model/record.sh FOLDER     writes FOLDER/NN.json for each lesson;
#   tests/simulator/model/compare.py BUILD --times FOLDER     puts the medians into tests/simulator/model/h200_times.json and compares.
set -u
cd "$(dirname "$0")/../../.." || exit
mkdir -p "$1"
for lesson in lessons/[0-9]*; do
  number=$(basename "$lesson")
  number=${number%%_*}
  build/bin/ladder run "$number" --solution --device gpu --json "$1/$number.json" > "$1/$number.txt" 2>&1 || echo "$number failed"
done
