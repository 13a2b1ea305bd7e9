#!/bin/sh
# What ./ladder says where the set-up cannot go on: apt-get, pip, nvcc and the compiler are replaced by fakes that write
# what the real ones wrote in that trouble. One sentence, and what to do.
# usage: trouble_test.sh CHECKOUT SCRATCH
# shellcheck disable=SC2016  # the fakes expand their own variables
set -eu

checkout=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/tools" "$scratch/tree"
cp -r "$checkout/ladder" "$checkout/cmake" "$scratch/tree/"
mkdir "$scratch/tree/simulator" "$scratch/tree/lessons"
cd "$scratch/tree"

for tool in sh cat find head tail grep sed awk sort date mkdir rm mv cp ls cksum dirname basename flock touch tee printf \
            uname cut tr sleep env ln chmod wc df du stty xargs seq kill; do
  ln -s "$(command -v "$tool")" "$scratch/tools/$tool" 2>/dev/null || :
done
fake() {
  rm -f "$scratch/tools/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$scratch/tools/$1"
  chmod +x "$scratch/tools/$1"
}
# `wrong` prints a trouble's words and fails; a quoted here-document keeps them as they are.
wrong() {
  name=$1
  { printf '#!/bin/sh\ncat <<"WORDS"\n'; cat; printf 'WORDS\nexit 1\n'; } >"$scratch/$name"
  chmod +x "$scratch/$name"
}
ladder() {
  env -i PATH="$scratch/tools" HOME="$scratch" TERM=dumb ${proxy:+https_proxy=$proxy} ${home:+CUDA_HOME=$home} ./ladder "$@"
}

failures=0
check() {  # check "what should hold" test...
  what=$1
  shift
  if "$@"; then echo "ok: $what"; else echo "NOT OK: $what"; failures=$((failures + 1)); fi
}
# tells "which trouble" "sentence" "words of the remedy": that the last run's output has both, ends with 3, and no stray log
tells() {
  check "$1: the cause" grep -qF -- "$2" "$scratch/out"
  check "$1: the remedy" grep -qF -- "$3" "$scratch/out"
  check "$1: exit code 3" [ "$status" -eq 3 ]
  check "$1: not the whole log" [ "$(wc -l <"$scratch/out")" -le 12 ]
  check "$1: nothing half done is left" [ -z "$(find .ladder -name '*.partial')" ]
}
run() {
  status=0
  ladder "$@" >"$scratch/out" 2>&1 || status=$?
}

# --- apt, as root on a Debian that lacks everything
fake id 'case $1 in -u) echo 0 ;; *) echo root ;; esac'
fake nproc 'echo 2'
fake dpkg-query 'exit 1'
fake apt-get 'exec '"$scratch"'/apt'
proxy='' home=''

wrong apt <<'W'
W: Failed to fetch http://deb.example/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.example'
W: Some index files failed to download. They have been ignored, or old ones used instead.
E: Unable to locate package g++
W
run demo
tells "apt without a network" "there is no way to the network" "install these from a medium: g++ cmake"

proxy=http://bob:secret@proxy.example:3128
run demo
tells "apt, a proxy that is not there" "the proxy http://proxy.example:3128 cannot be used" "https_proxy"
check "a password is not shown" sh -c '! grep -q secret "$1"' sh "$scratch/out"

wrong apt <<'W'
Err:1 http://deb.example/debian bookworm InRelease
  407  Proxy Authentication Required [IP: 127.0.0.1 3128]
E: The repository 'http://deb.example/debian bookworm InRelease' is no longer signed.
W
run demo
tells "apt, a proxy that wants a password" "the proxy http://proxy.example:3128 wants a name and a password" "sudo -E"
proxy=''

wrong apt <<'W'
E: Failed to fetch http://deb.example/debian/dists/bookworm/InRelease  Clearsigned file isn't valid, got 'NOSPLIT' (does the network require authentication?)
W
run demo
tells "apt, a login page" "a login page" "in a browser"

wrong apt <<'W'
Err:1 https://deb.example/debian bookworm InRelease
  Certificate verification failed: The certificate is NOT trusted. The certificate issuer is unknown.  Could not handshake: Error in the certificate verification. [IP: 127.0.0.1 443]
W
run demo
tells "apt, a company's certificate" "a certificate on the way is not trusted" "update-ca-certificates"

wrong apt <<'W'
E: You don't have enough free space in /var/cache/apt/archives/.
W
run demo
tells "apt, a full disk" "the disk is full" "Make room"

wrong apt <<'W'
E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 77 (unattended-upgr)
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?
W
run demo
tells "apt, locked" "another program is installing packages" "unattended-upgrades"

wrong apt <<'W'
E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem.
W
run demo
tells "apt, interrupted before" "an earlier installation of packages was interrupted" "dpkg --configure -a"

wrong apt <<'W'
E: Unable to locate package libtomlplusplus-dev
E: Package 'libcli11-dev' has no installation candidate
W
run demo
tells "apt, an old release" "do not have: libcli11-dev libtomlplusplus-dev" "Ubuntu 22.04"

wrong apt <<'W'
E: Something that nobody has seen
W
run demo
check "what is not known is shown as it is" grep -qF 'E: Something that nobody has seen' "$scratch/out"
check "what is not known: the step is named" grep -qF 'this step failed: installing g++' "$scratch/out"

# --- pip: the packages are there, the compiler is not. What lies in /usr/local/cuda of this machine would be found.
fake dpkg-query 'echo installed'
fake cmake 'echo cmake version 3.25.1'
fake c++ 'exit 0'
fake ninja 'exit 0'
fake python3 'case "$*" in *--version*) exit 0 ;; esac; exec '"$scratch"'/pip'
sed -i 's|/usr/local/cuda|/nowhere/cuda|g; s|/opt/cuda|/nowhere/cuda|g' cmake/setup/cuda.sh

wrong pip <<'W'
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/nvidia-cuda-nvcc/
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvcc==13.0.88 (from versions: none)
ERROR: No matching distribution found for nvidia-cuda-nvcc==13.0.88
W
run demo
tells "pip without a network" "there is no way to the network" "PIP_NO_INDEX=1 PIP_FIND_LINKS=/path/to/wheels ./ladder demo"
check "pip without a network: the wheels are named" grep -qF 'nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==' "$scratch/out"

wrong pip <<'W'
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))': /simple/nvidia-cuda-nvcc/
ERROR: No matching distribution found for nvidia-cuda-nvcc==13.0.88
W
run demo
tells "pip, a proxy that wants a password" "wants a name and a password" "http_proxy=\$https_proxy"

wrong pip <<'W'
Could not fetch URL https://index.example/simple/nvidia-cuda-nvcc/: There was a problem confirming the ssl certificate: HTTPSConnectionPool(host='index.example', port=443): Max retries exceeded with url: /simple/nvidia-cuda-nvcc/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate in certificate chain (_ssl.c:992)'))) - skipping
ERROR: No matching distribution found for nvidia-cuda-nvcc==13.0.88
W
run demo
tells "pip, a company's certificate" "a certificate on the way is not trusted" "PIP_CERT=/path/to/it.pem ./ladder demo"

wrong pip <<'W'
ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device
W
run demo
tells "pip, a full disk" "the disk is full" "1.5 GB"

wrong pip <<'W'
/usr/bin/python3: No module named pip
W
run demo
tells "python3 without pip" "no python3 with pip" "apt install python3-pip"

wrong pip <<'W'
ERROR: Could not find a version that satisfies the requirement nvidia-cuda-nvcc==13.0.88 (from versions: none)
ERROR: No matching distribution found for nvidia-cuda-nvcc==13.0.88
W
run demo
tells "an index of one's own" "does not have the CUDA compiler" "env -u PIP_INDEX_URL"

fake df 'echo Filesystem; echo disk 9999999 9990000 51200 99% /'
run demo
tells "a nearly full disk, before pip begins" "only 50 MB are free" "the CUDA compiler needs 1000 MB"
fake df 'echo Filesystem; echo disk 9999999 1 9999998 1% /'

# --- an nvcc that is too old, one that does not run, a CUDA_HOME that is gone; then one that will do
fake nvcc 'echo "Cuda compilation tools, release 11.8, V11.8.89"'
mkdir -p .ladder/cuda/bin
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\n' >.ladder/cuda/bin/nvcc
chmod +x .ladder/cuda/bin/nvcc
own=$scratch/tree/.ladder/cuda/bin/nvcc
run setup --deps
check "an old nvcc on PATH is told, and what is used instead" \
  grep -qF "ladder: $scratch/tools/nvcc is CUDA 11.8, and 12.4 is the oldest that will do; using $own (13.0)" "$scratch/out"
check "an old nvcc on PATH is no obstacle" [ "$status" -eq 0 ]
run setup --deps
check "it is told once" [ "$(cat "$scratch/out")" = "ladder: ready. Next: ./ladder demo" ]

home=$scratch/gone
run setup --deps
check "a stale CUDA_HOME is told" grep -qF "CUDA_HOME is $home, but there is no bin/nvcc in it; using $own (13.0)" "$scratch/out"
home=''
rm .ladder/ready
fake nvcc 'exit 127'
run setup --deps
check "an nvcc that does not run is told" grep -qF "$scratch/tools/nvcc does not run; using $own" "$scratch/out"
rm "$scratch/tools/nvcc"

# --- the compiler: memory, and a cause of its own
mkdir -p build
fake cmake 'case "$*" in
  *--version*) echo cmake version 3.25.1 ;;
  *--build*) echo "c++: fatal error: Killed signal terminated program cc1plus"; exit 1 ;;
esac'
run list
tells "memory that is too short" "the memory was not enough to compile" "LADDER_JOBS=1 ./ladder list"

# --- A call that waits leaves the other's work alone when it is interrupted.
mkdir -p .ladder && : >.ladder/other.partial
(flock 9 && sleep 3) 9>.ladder/lock &
sleep 0.5
status=0
timeout -s TERM 1 env -i PATH="$scratch/tools" HOME="$scratch" TERM=dumb ./ladder list >"$scratch/out" 2>&1 || status=$?
check "a second call says that it waits" grep -qF 'another ./ladder is at work in this checkout; waiting for it' "$scratch/out"
check "and leaves what is being made" [ -e .ladder/other.partial ]
wait
rm -f .ladder/other.partial

# --- Interrupted while a step runs: a word, code 130, nothing half done.
if env --default-signal=INT true 2>/dev/null && command -v setsid >/dev/null; then
  fake cmake 'case "$*" in *--version*) echo cmake version 3.25.1 ;; *--build*) : >'"$scratch"'/building; sleep 20 ;; esac'
  rm -f "$scratch/building"
  : >.ladder/mine.partial
  env -i PATH="$scratch/tools:$PATH" HOME="$scratch" TERM=dumb setsid sh -c 'echo $$ >"$0/pid"; exec env --default-signal=INT ./ladder list' \
    "$scratch" >"$scratch/out" 2>&1 &
  for _ in $(seq 100); do [ -e "$scratch/building" ] && break; sleep 0.1; done
  kill -INT "-$(cat "$scratch/pid")"
  status=0
  wait $! || status=$?
  check "an interrupted set-up says how to go on" grep -qF 'ladder: interrupted; call it again to go on' "$scratch/out"
  check "its exit code is 130" [ "$status" -eq 130 ]
  check "it leaves nothing half done" [ -z "$(find .ladder -name '*.partial')" ]
fi

# --- On a terminal: one line, drawn again, with a bar and the time left; NO_COLOR is honoured.
if command -v script >/dev/null; then
  fake cmake 'case "$*" in
    *--version*) echo cmake version 3.25.1 ;;
    *--build*) for i in 1 2 3 4; do echo "[$i/5] Building CXX object x$i.o"; sleep 1.6; done ;;
  esac'
  printf '#!/bin/sh\n' >"$scratch/real"
  terminal() {
    mkdir -p build/bin && printf '#!/bin/sh\necho the course\n' >build/bin/ladder && chmod +x build/bin/ladder
    rm -f build/.up-to-date
    script -qec "stty cols 90; env -i PATH=$scratch/tools HOME=$scratch TERM=xterm LANG=C.UTF-8 $1 ./ladder list" /dev/null </dev/null >"$scratch/out" 2>&1
  }
  terminal A=b
  check "a terminal sees a bar" grep -qE '█.*░.* [2-7][0-9] %' "$scratch/out"
  check "and the time left" grep -qE '[0-9]:[0-9][0-9] left' "$scratch/out"
  check "in colour" grep -q "$(printf '\033')\[32m" "$scratch/out"
  check "the line says at last how long it took" grep -qE 'building the simulator and the grader  [0-9]+ s' "$scratch/out"
  terminal NO_COLOR=1
  check "without colour where NO_COLOR is set" sh -c '! grep -q "$(printf "\033")\[32m" "$1"' sh "$scratch/out"
  check "the bar is there all the same" grep -q '█.*░' "$scratch/out"
fi

rm -rf "$scratch"
[ "$failures" -eq 0 ]
