#!/bin/sh
# Tests of ./ladder itself, with the tools that it calls replaced by ones that only note how they were called.
# usage: script_test.sh CHECKOUT SCRATCH
# shellcheck disable=SC2016  # the fakes expand their own variables
set -eu

checkout=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/tools" "$scratch/tree/build/bin" "$scratch/tree/.ladder"
cp -r "$checkout/ladder" "$checkout/cmake" "$scratch/tree/"
mkdir "$scratch/tree/simulator"
cd "$scratch/tree"

# A machine that has the basic tools and nothing else.
for tool in sh cat find head tail grep sed awk sort date mkdir rm mv cp ls id nproc cksum dirname basename flock touch tee \
            printf uname cut tr sleep env ln chmod wc df du stty xargs script setsid seq; do
  ln -s "$(command -v "$tool")" "$scratch/tools/$tool" 2>/dev/null || :
done
fake() {
  rm -f "$scratch/tools/$1"  # it may be a link to the machine's own tool, which a plain > would overwrite
  printf '#!/bin/sh\n%s\n' "$2" >"$scratch/tools/$1"
  chmod +x "$scratch/tools/$1"
}
ladder() { PATH=$scratch/tools CUDA_HOME='' ./ladder "$@"; }

failures=0
check() {  # check "what should hold" test...
  what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "NOT OK: $what"; failures=$((failures + 1)); fi
}

# --- Nothing is missing and nothing changed: the program starts at once, with its arguments as they are.
printf '#!/bin/sh\nfor word in "$@"; do printf "<%%s>" "$word"; done; exit 7\n' >build/bin/ladder
chmod +x build/bin/ladder
touch .ladder/ready build/.up-to-date
status=0
out=$(ladder run '09.3 with space' --json x) || status=$?
check "arguments reach the program unchanged" [ "$out" = "<run><09.3 with space><--json><x>" ]
check "the program's exit code is the script's" [ "$status" -eq 7 ]

# --- The lesson's rungs are the program's business; a changed source is not.
sleep 0.05
mkdir -p lessons/01_x
touch -d '1 minute ago' lessons lessons/01_x
touch lessons/01_x/1_a.cu
touch -d '1 minute ago' lessons/01_x
status=0
ladder list >/dev/null 2>&1 || status=$?
check "an edited rung does not rebuild the tools" [ "$status" -eq 7 ]

# --- After a first ladder: its commands start at once, and another one builds the rest.
mv build/bin/ladder build/bin/ladder-first
touch build/.first-up-to-date
fake nvcc 'exit 1'
status=0
out=$(ladder hint 09.3) || status=$?
check "the first program has the first commands" [ "$out $status" = "<hint><09.3> 7" ]
status=0
out=$(ladder --color never hint 09.3) || status=$?
check "also behind an option" [ "$out $status" = "<--color><never><hint><09.3> 7" ]
status=0
ladder watch >"$scratch/out" 2>&1 || status=$?
check "and no others" [ "$status" -eq 3 ]
mv build/bin/ladder-first build/bin/ladder
rm "$scratch/tools/nvcc" build/.first-up-to-date

# --- A bare Debian, as an ordinary user with sudo: one line says what to install, and nothing else happens.
touch simulator/new.cpp
rm .ladder/ready
fake id 'echo 1000'
fake sudo 'exit 1'
fake apt-get 'echo apt-get "$@" >>"$0.calls"; exit 1'
fake dpkg-query 'exit 1'
status=0
ladder demo >"$scratch/out" 2>&1 || status=$?
check "set-up trouble ends with exit code 3" [ "$status" -eq 3 ]
check "one line names the packages" \
  grep -q '^  apt install --no-install-recommends g++ cmake ninja-build .*libzstd-dev ' "$scratch/out"
check "the other way is mentioned" grep -q -- '--no-root' "$scratch/out"
check "what only grading needs is not among them" sh -c '! grep -q libseccomp-dev "$1"' sh "$scratch/out"
ladder grade class --out results >"$scratch/grade" 2>&1 || :
check "for grading its packages are named as well" \
  grep -q '^  apt install .*libzstd-dev .*bubblewrap libseccomp-dev libarchive-dev' "$scratch/grade"
check "nothing was installed" [ ! -e "$scratch/tools/apt-get.calls" ]

# --- The same without sudo: it goes on by itself, and says which step failed.
rm "$scratch/tools/sudo"
status=0
ladder demo >"$scratch/out" 2>&1 || status=$?
check "without sudo the private package lists are read" grep -q update "$scratch/tools/apt-get.calls"
check "a failing step is named" grep -q 'this step failed: reading the package lists' "$scratch/out"
check "a failing step ends with exit code 3" [ "$status" -eq 3 ]

# --- Another system: no apt-get.
rm "$scratch/tools/apt-get" "$scratch/tools/dpkg-query"
status=0
ladder demo >"$scratch/out" 2>&1 || status=$?
check "elsewhere the lacking tools are named" grep -q 'please install: a C++20 compiler .* CMake 3.25' "$scratch/out"
check "nothing half done is left" [ -z "$(find .ladder -name '*.partial')" ]

status=0
ladder setup --nonsense >/dev/null 2>&1 || status=$?
check "an unknown option of setup is a usage error" [ "$status" -eq 2 ]

# --- A course that nobody may write: everybody has a folder of their own, with rungs that are theirs.
course=$scratch/tree
mkdir -p lessons/02_y && echo toml >lessons/01_x/lesson.toml && cp lessons/01_x/lesson.toml lessons/02_y/
echo skeleton >lessons/01_x/1_a.cu && echo skeleton >lessons/02_y/1_b.cu
chmod a-w lessons/01_x/1_a.cu
fake nvcc 'exit 1'
: >.ladder/ready
own() { LADDER_HOME=$scratch/own ladder "$@"; }
mkdir -p "$scratch/own/.ladder" "$scratch/own/build/bin"
printf '#!/bin/sh\nprintf "%%s|%%s" "$LADDER_ROOT" "$LADDER_BUILD_DIR"\n' >"$scratch/own/build/bin/ladder"
chmod +x "$scratch/own/build/bin/ladder"
printf '%s\n' "$course" >"$scratch/own/.ladder/course"
sleep 0.05
touch "$scratch/own/.ladder/ready" "$scratch/own/build/.up-to-date"
out=$(own list)
check "work and build are the user's own" [ "$out" = "$scratch/own|$scratch/own/build" ]
check "the course is linked" [ "$(readlink "$scratch/own/cmake")" = "$course/cmake" ]
check "a lesson's description is the course's" [ "$(readlink "$scratch/own/lessons/01_x/lesson.toml")" = "$course/lessons/01_x/lesson.toml" ]
check "a rung is a copy that can be written" [ -w "$scratch/own/lessons/01_x/1_a.cu" ]
check "and no link" [ ! -L "$scratch/own/lessons/01_x/1_a.cu" ]
echo mine >"$scratch/own/lessons/01_x/1_a.cu"
echo new >lessons/01_x/1_a.cu 2>/dev/null || { chmod u+w lessons/01_x/1_a.cu && echo new >lessons/01_x/1_a.cu; }
echo more >lessons/02_y/2_c.cu
mv lessons/02_y lessons/03_z
touch "$scratch/own/build/.up-to-date"
out=$(cd "$scratch/own" && ladder list)
check "the user's folder is a checkout itself" [ "$out" = "$scratch/own|$scratch/own/build" ]
check "what the user wrote is never overwritten" [ "$(cat "$scratch/own/lessons/01_x/1_a.cu")" = mine ]
check "what the course gained is there" [ -e "$scratch/own/lessons/03_z/2_c.cu" ]
check "a lesson that has another name now is kept" [ -n "$(find "$scratch/own/.ladder/former" -name 1_b.cu)" ]
contents() { (cd "$course" && find . -exec ls -ld {} + && find . -type f -exec cksum {} +); }
contents >"$scratch/before"
mkdir -p "$scratch/other/build/bin" "$scratch/other/.ladder"
cp "$scratch/own/build/bin/ladder" "$scratch/other/build/bin/"
printf '%s\n' "$course" >"$scratch/other/.ladder/course"
touch "$scratch/other/.ladder/ready" "$scratch/other/build/.up-to-date"
out=$(LADDER_HOME=$scratch/other ladder list)
check "another user has another folder" [ "$out" = "$scratch/other|$scratch/other/build" ]
check "with rungs as the course has them" [ "$(cat "$scratch/other/lessons/01_x/1_a.cu")" = new ]
check "and nobody's folder is changed by it" [ "$(cat "$scratch/own/lessons/01_x/1_a.cu")" = mine ]
contents >"$scratch/after"
check "nothing is written into the course" [ "$(cat "$scratch/after")" = "$(cat "$scratch/before")" ]
status=0
out=$(LADDER_HOME=/proc/nowhere ladder list 2>&1) || status=$?
check "a folder that cannot be made is told in one sentence" \
  [ "$status $out" = "3 ladder: cannot make /proc/nowhere; name a folder for your work in LADDER_HOME" ]
mkdir "$scratch/full" && echo x >"$scratch/full/x"
status=0
LADDER_HOME=$scratch/full ladder list >/dev/null 2>&1 || status=$?
check "a folder with other things in it is left alone" [ "$status$(ls -A "$scratch/full")" = 3x ]

rm -rf "$scratch"
[ "$failures" -eq 0 ]
