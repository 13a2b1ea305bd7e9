#!/bin/bash
# Makes sanitizer.csv's rows of the logs that record_sanitizer.sh left: summarise.sh OUT/logs > sanitizer.csv
# `errors` is what the tool's summary counts; `message` and `line` are the first error's, the line in the program's file.
set -eu
echo "round;file;program;tool;exit;errors;message;line"
cd "$1"
for log in */*.log; do
  name=${log#*/}
  IFS=. read -r folder file program tool _ <<<"$name"
  awk -v round="${log%%/*}" -v key="$folder/$file.cu;$program;$tool" -v source="$file.cu" '
    /^exit / { code = $2 }
    /SUMMARY: [0-9]/ { for (i = 2; i <= NF; ++i) if ($(i - 1) == "SUMMARY:") errors += $i }
    /^========= / && message == "" && !/COMPUTE-SANITIZER|SUMMARY|Target application|^=========  / {
      message = substr($0, 11)
      gsub(/;/, ",", message)
    }
    message != "" && line == "" && (at = index($0, source ":")) {
      line = substr($0, at + length(source) + 1)
      sub(/[^0-9].*/, "", line)
    }
    END {
      sub(/ at [A-Za-z_:<>()0-9 ]+\(.*/, "", message)
      print round ";" key ";" code ";" errors ";" message ";" line
    }' "$log"
done
