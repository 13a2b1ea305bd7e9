#!/bin/sh
# A student's own folder of a course that lies elsewhere: what `ladder init` calls.
#
#   init.sh COURSE FOLDER
set -eu
root=$1
export LADDER_HOME="$2"
. "$1/cmake/setup/home.sh"
use_home
printf 'Your folder is %s. Go on with\n\n  cd %s && ./ladder\n' "$root" "$root"
