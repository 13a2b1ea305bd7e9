# Why a step failed: from what it wrote to a sentence and what to do about it; sourced by ./ladder.
# shellcheck shell=sh disable=SC2034,SC2154  # cause and remedy are read by steps.sh; state, root, build, asked: set by ./ladder

# free_mb FOLDER: MB that are free where it lies.
free_mb() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }'; }

# cannot_write FOLDER: ends the call; the reason is a full disk, or whose the folder is.
cannot_write() {
  free=$(free_mb "$1")
  [ "${free:-9}" -ge 1 ] || fail "the disk that $1 is on is full." "Make room there, or move the checkout to another disk."
  fail "$1 cannot be written." "Name a folder of your own for your work and the build: LADDER_HOME=\$HOME/cuda-ladder ./ladder $asked"
}

# need_room FOLDER MB "for what": a full disk is better told before the work than after it.
need_room() {
  free=$(free_mb "$1")
  [ "${free:-$2}" -ge "$2" ] || fail "only $free MB are free where $1 is, and $3 needs $2 MB." \
    "Make room there, or move the checkout to another disk. What was made so far is kept."
}

said() { step_output | grep -qiE "$1"; }

# Names the proxy that the environment names, without the password in it.
proxy_name() {
  for proxy in "${https_proxy:-}" "${HTTPS_PROXY:-}" "${http_proxy:-}" "${HTTP_PROXY:-}" "${ALL_PROXY:-}"; do
    [ -z "$proxy" ] || { printf ' %s' "$proxy" | sed 's|//[^/@]*@|//|'; return; }
  done
}

# Sets cause and remedy from the step's output; false where nothing in it is known.
explain() {
  case $what in *"from PyPI"*) who=pip ;; *building*) who=build ;; *) who=apt ;; esac
  for folder in "$state" "$build" "${TMPDIR:-/tmp}" /var/cache/apt; do
    [ ! -d "$folder" ] || [ "$(free_mb "$folder")" -ge 2 ] || said 'nothing' || { full=$folder; break; }
  done
  if [ -n "${full:-}" ] || said 'No space left on device|enough free space in|Disk quota exceeded'; then
    cause="the disk is full${full:+: $full has no room left}."
    said 'Disk quota exceeded' && cause="your quota of disk space is used up."
    remedy="Make room, or move the checkout to another disk, then call this again. It needs 1.5 GB with the CUDA compiler; packages
of the system need 0.6 GB more where they are missing."
  elif said '407 +Proxy Authentication|Proxy Authentication Required'; then
    cause="the proxy$(proxy_name) wants a name and a password."
    remedy="export https_proxy=http://NAME:PASSWORD@PROXY:PORT http_proxy=\$https_proxy
and call this again; with sudo: sudo -E. Special characters of a password are written as %40 for @, %3A for :."
  elif said 'ProxyError|Cannot connect to proxy|Could not (connect|resolve) .*proxy|Invalid response from proxy|Tunnel connection failed|unable to connect to .*:(3128|8080)'; then
    cause="the proxy$(proxy_name) cannot be used."
    remedy="Check https_proxy and http_proxy (and Acquire::http::Proxy in /etc/apt/apt.conf.d, which apt reads): host and port,
and whether the proxy lets you out at all. Without one: unset https_proxy http_proxy"
  elif said 'CERTIFICATE_VERIFY_FAILED|certificate verify failed|Certificate verification failed|SSL certificate problem|certificate is NOT trusted'; then
    cause="a certificate on the way is not trusted: a company's proxy that looks into https, or a wrong clock ($(date +%F))."
    if [ "$who" = pip ]; then
      remedy="Ask for the company's root certificate as a file and call: PIP_CERT=/path/to/it.pem ./ladder $asked
For all programs, as root: cp it.pem /usr/local/share/ca-certificates/company.crt && update-ca-certificates"
    else
      remedy="As root, with the company's root certificate as a file:
cp it.pem /usr/local/share/ca-certificates/company.crt && update-ca-certificates   (package ca-certificates)"
    fi
  elif said 'Could not resolve|failure resolving|Name or service not known|name resolution|Network is unreachable|No route to host|Failed to establish a new connection|Connection timed out|connection failed|Connection refused|Read timed out|Failed to connect'; then
    cause="there is no way to the network from here."
    offline_remedy
  elif said 'Could not get lock|Unable to acquire the dpkg'; then
    cause="another program is installing packages at this moment."
    remedy="Wait until it is done (often it is unattended-upgrades), then call this again."
  elif said 'dpkg was interrupted'; then
    cause="an earlier installation of packages was interrupted."
    remedy="As root: dpkg --configure -a, then call this again."
  elif said 'is not valid yet|Release file .* (is )?expired'; then
    cause="the package lists and this machine's clock ($(date +%F)) do not agree."
    remedy="Set the clock (timedatectl set-ntp true), then call this again."
  elif said 'Unable to locate package|has no installation candidate'; then
    cause="this system's package sources do not have: $(step_output | sed -nE "s/.*(locate package|Package '?)[ ']*([a-z0-9.+-]+).*/\2/p" | sort -u | tr '\n' ' ')"
    remedy="Debian 12 or Ubuntu 22.04 is the oldest that has all. On Ubuntu, universe must be on: add-apt-repository universe"
  elif said 'No module named (pip|ensurepip)'; then
    cause="python3 has no pip, which fetches the CUDA compiler."
    remedy="Install it (Debian, Ubuntu: apt install python3-pip), or name a CUDA toolkit in CUDA_HOME: 12.4 or newer."
  elif said 'No matching distribution found|Could not find a version'; then
    cause="the package index that pip uses does not have the CUDA compiler$(pip_index)."
    remedy="Use PyPI itself: env -u PIP_INDEX_URL -u PIP_NO_INDEX ./ladder $asked (pip config list says what else is set); or
name a CUDA toolkit in CUDA_HOME: 12.4 or newer."
  elif said 'Killed signal terminated program|virtual memory exhausted|Cannot allocate memory|std::bad_alloc|out of memory'; then
    cause="the memory was not enough to compile $(jobs) files at once."
    remedy="Close what needs much, or compile fewer at once: LADDER_JOBS=1 ./ladder $asked. One needs 1 GB."
  elif said 'Read-only file system|Permission denied'; then
    cause="something cannot be written: $(step_output | grep -iE 'Read-only file system|Permission denied' | head -n 1)"
    remedy="Call this as the user whose checkout it is, or name a folder of your own: LADDER_HOME=\$HOME/cuda-ladder ./ladder $asked"
  else
    return 1
  fi
}

pip_index() {
  [ -z "${PIP_INDEX_URL:-}" ] || printf ' (%s)' "$PIP_INDEX_URL" | sed 's|//[^/@]*@|//|'
}

offline_remedy() {
  case $who in
    pip)
      # shellcheck disable=SC2086  # one word per wheel
      remedy="Connect, or bring the compiler's wheels from a machine that is (about 300 MB), into a folder of this one:
pip download --no-deps -d wheels$(printf ' %s' $cuda_wheels)
PIP_NO_INDEX=1 PIP_FIND_LINKS=/path/to/wheels ./ladder $asked
Behind a company's proxy: export https_proxy=http://PROXY:PORT first. Or name a CUDA toolkit in CUDA_HOME: 12.4 or newer." ;;
    build)
      remedy="A library has no package here, and CMake wanted to fetch it. Install the packages that ./ladder doctor names." ;;
    *)
      remedy="Connect, or install these from a medium: $missing
Behind a company's proxy: export https_proxy=http://PROXY:PORT http_proxy=http://PROXY:PORT first." ;;
  esac
}
