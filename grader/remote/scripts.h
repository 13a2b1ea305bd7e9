// Shell scripts that travel with what is staged. Plain POSIX sh: nothing is known of the machine they run on.
#pragma once

namespace ladder::cli {

/// serve COMMAND...: runs a runner that writes its events to descriptor 3. Events go to stdout, what the
/// student's code prints to stderr. When stdin ends, as it does when the connection or the other end dies, so
/// does the run. At the end the folder goes.
inline constexpr const char* kServe = R"sh(#!/bin/sh
here=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd) || exit 1
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
if [ "$1" = --try ]; then shift; "$@" 2>&1; exit; fi
exec 4<&0
group=$(command -v setsid)
$group "$@" 3>&1 1>&2 </dev/null 4<&- &
run=$!
{ cat; kill -TERM -$run || kill -TERM $run; sleep 2; kill -KILL -$run || kill -KILL $run; } <&4 >/dev/null 2>&1 &
exec 4<&-
wait $run
code=$?
case $here in */cuda-ladder.??????) rm -rf "$here" ;; esac
exit $code
)sh";

/// What a bundle is started by; LESSON is replaced.
inline constexpr const char* kBundleRun = R"sh(#!/bin/sh
# ./run [RUNG] [options]: as `./ladder run`, with what was built when this was packed. Needs the NVIDIA driver and
# nothing else; without a GPU the simulator runs it.
here=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd) || exit 1
case ${1:-} in '' | -*) set -- LESSON "$@" ;; esac
LADDER_ROOT=$here LADDER_BUILD_DIR=$here/build LADDER_PREBUILT=1
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LADDER_ROOT LADDER_BUILD_DIR LADDER_PREBUILT LD_LIBRARY_PATH
exec "$here/build/bin/ladder" run "$@" OPTIONS
)sh";

}  // namespace ladder::cli
