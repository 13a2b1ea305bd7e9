# Debian packages: finds what is missing, installs it (root), names it (ordinary user) or unpacks it into the checkout.
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2154  # progress: read by steps.sh; root, state, no_root, want_tests, want_grade, want_page: set by ./ladder

unpacked=$state/root  # packages unpacked without root
libraries="libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libzstd-dev liblz4-dev libmd-dev libutf8proc-dev"
grade_libraries="libseccomp-dev libarchive-dev"
page_libraries="libevent-dev libcmark-gfm-dev libcmark-gfm-extensions-dev"

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# at_least 3.25 3.28.1: is the second version not older than the first?
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

cmake_works() {
  command -v cmake >/dev/null && at_least 3.25 "$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
}

compiler_works() { command -v "${CXX:-c++}" >/dev/null; }

catch2_works() {
  recorded libcatch2-dev || recorded catch2 && return
  version=$(dpkg-query -W -f='${Version}' catch2 2>/dev/null) && at_least 3 "$version"
}

# Was the package unpacked, with all that it needs? Its files alone do not say so: unpacking may have been interrupted.
recorded() { grep -qx "$1" "$unpacked/.packages" 2>/dev/null; }

# need PACKAGE test...: prints the package if the test fails and it is not in .ladder/root either.
need() {
  package=$1
  shift
  recorded "$package" || "$@" >/dev/null 2>&1 || printf '%s ' "$package"
}

# What `ladder grade` needs besides: its sandbox, and what reads archives in it.
missing_for_grading() {
  need bubblewrap command -v bwrap
  for library in $grade_libraries; do need "$library" installed "$library"; done
}

# What the page of `ladder serve` needs besides.
missing_for_page() {
  for library in $page_libraries; do need "$library" installed "$library"; done
}

# Is there a catalogue of translations for the language of the environment? It takes msgfmt to compile it.
has_catalogue() {
  locale=${LADDER_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}}
  locale=${locale%%[.@]*}
  [ -n "$locale" ] && { [ -e "po/$locale.po" ] || [ -e "po/${locale%%_*}.po" ]; }
}

# Names of the missing packages, on one line.
missing_packages() {
  need g++ compiler_works
  need cmake cmake_works
  need ninja-build command -v ninja
  for library in $libraries; do need "$library" installed "$library"; done
  [ -z "$want_grade" ] || missing_for_grading
  [ -z "$want_page" ] || missing_for_page
  if [ -z "$(find_nvcc)" ]; then
    need python3-pip pip --version
    need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
  fi
}

# apt-get with its lists and archives in the checkout: needs no root and leaves the system's own state alone.
private_apt() {
  apt-get -q -o Dir::State="$state/apt" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$state/apt/cache" \
    -o Dir::Etc::sourceparts="$state/apt/sources" -o APT::Sandbox::User="$(id -un)" -o APT::Status-Fd=3 "$@" \
    3>>"$state/apt.partial"
}

# The system's sources, and the release's backports from the same mirror.
private_apt_update() {
  mkdir -p "$state/apt/lists/partial" "$state/apt/cache/archives/partial" "$state/apt/sources"
  rm -f "$state/apt/sources"/*
  cp /etc/apt/sources.list.d/* "$state/apt/sources/" 2>/dev/null || :
  release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' |
             awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  if [ "$(. /etc/os-release && printf '%s' "$ID")" = debian ] && [ -n "$mirror" ] && [ -e "$keys" ]; then
    printf 'deb [signed-by=%s] %s %s-backports main\n' "$keys" "$mirror" "$release" >"$state/apt/sources/backports.list"
  fi
  private_apt update || return
  # Without a network it succeeds all the same, with warnings.
  for list in "$state"/apt/lists/*Packages*; do
    [ ! -e "$list" ] || return 0
  done
  rm -rf "$state/apt/lists"
  return 1
}

# unpack PACKAGE...: these and what they need and the system lacks, into .ladder/root.
unpack() {
  rm -rf "$state/debs.partial"
  mkdir -p "$state/debs.partial" "$unpacked/usr/lib" "$unpacked/usr/bin"
  for merged in lib bin; do  # as on the system itself, /lib is /usr/lib
    [ -e "$unpacked/$merged" ] || ln -s "usr/$merged" "$unpacked/$merged"
  done
  private_apt install -s --no-install-recommends "$@" >"$state/debs.partial/plan" || return
  # libc itself stays the system's: the loader and its library must be of one build.
  wanted=$(sed -n 's/^Inst \([^ ]*\) .*(\([^ ]*\) .*/\1=\2/p' "$state/debs.partial/plan" | grep -v '^libc6=')
  # shellcheck disable=SC2086  # one word per package
  [ -z "$wanted" ] || (cd "$state/debs.partial" && private_apt download $wanted) || return
  for deb in "$state/debs.partial"/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$unpacked" || return
  done
  rm -rf "$state/debs.partial"
  printf '%s\n' "$@" >>"$unpacked/.packages"
}

# The unpacked compiler finds its own parts but not libc's; these wrappers tell it where they are.
wrap_compiler() {
  libs=$unpacked/usr/lib/$triplet
  sed -i "s|[^ (]*/libc_nonshared.a|$libs/libc_nonshared.a|" "$libs/libc.so"  # a linker script with absolute paths
  mkdir -p "$unpacked/wrappers"
  for pair in c++:g++ g++:g++ cc:gcc gcc:gcc; do
    cat >"$unpacked/wrappers/${pair%%:*}" <<WRAPPER
#!/bin/sh
exec "$unpacked/usr/bin/${pair##*:}" -B"$libs/" -L"$libs" -idirafter "$unpacked/usr/include/$triplet" -idirafter "$unpacked/usr/include" "\$@"
WRAPPER
    chmod +x "$unpacked/wrappers/${pair%%:*}"
  done
}

# Environment for tools and libraries that lie in .ladder/root; sourced by every later call.
write_environment() {
  [ -d "$unpacked" ] || return 0
  [ ! -L "$unpacked" ] || return 0  # the installed course's, whose environment is sourced
  triplet=$(uname -m)-linux-gnu
  [ ! -e "$unpacked/usr/bin/g++" ] || wrap_compiler
  {
    printf 'PATH=%s/wrappers:$PATH:%s/usr/bin\n' "$unpacked" "$unpacked"
    printf 'CMAKE_PREFIX_PATH=%s/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}\n' "$unpacked"
    printf 'LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}%s/usr/lib/%s\n' "$unpacked" "$triplet"
    printf 'export PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH\n'
  } >"$state/env.partial"
  mv "$state/env.partial" "$state/env"
  . "$state/env"
}

install_packages() {
  missing=$(missing_packages)
  missing=${missing% }
  if [ -z "$missing" ]; then
    :
  elif ! command -v apt-get >/dev/null; then
    without_apt
  elif [ "$(id -u)" = 0 ] && [ -z "$no_root" ]; then
    progress=packages_progress
    # shellcheck disable=SC2086  # one word per package
    step "installing $missing" install_as_root $missing
  else
    say "these packages are missing; with root's rights, install them with"
    printf '\n  apt install --no-install-recommends %s\n\n' "$missing" >&2
    if [ -z "$no_root" ] && command -v sudo >/dev/null; then
      fail "then call this again." "Or call ./ladder --no-root $asked: it unpacks them into .ladder/root of this checkout."
    fi
    need_room "$state" 700 "what is missing"
    [ -e "$state/apt/lists" ] || step "reading the package lists" private_apt_update
    # shellcheck disable=SC2086
    progress=packages_progress
    # shellcheck disable=SC2086
    step "unpacking them into .ladder/root instead" unpack $missing
  fi
  if [ -n "$want_tests" ] && command -v apt-get >/dev/null && ! catch2_works; then
    [ -e "$state/apt/sources/backports.list" ] || step "reading the package lists (for Catch2 3)" private_apt_update
    step "unpacking Catch2 3 into .ladder/root" unpack_catch2
  fi
  if { [ -n "$want_tests" ] || has_catalogue; } && [ -n "$(need gettext command -v msgfmt)" ]; then
    install_gettext
  fi
  write_environment
}

# Nobody has to wait for it: without it verdicts are English.
install_gettext() {
  progress=packages_progress
  if ! command -v apt-get >/dev/null; then
    say "verdicts are in English: translations need msgfmt, which is part of gettext"
  elif [ "$(id -u)" = 0 ] && [ -z "$no_root" ]; then
    (step "installing gettext" install_as_root gettext) || say "verdicts are in English until gettext is there"
  elif [ -n "$no_root" ]; then
    [ -e "$state/apt/lists" ] || step "reading the package lists" private_apt_update
    (step "unpacking gettext into .ladder/root" unpack gettext) || say "verdicts are in English until gettext is there"
  else
    say "verdicts are in English until this is installed: apt install --no-install-recommends gettext"
  fi
}

install_as_root() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update &&
    apt-get -qy install --no-install-recommends -o DPkg::Lock::Timeout=120 -o APT::Status-Fd=3 "$@" 3>"$state/apt.partial"
}

# The package was split in two at 3.4; older releases have version 2 only, which is of no use.
unpack_catch2() { unpack libcatch2-dev || unpack catch2; }

# No Debian: CMake fetches the libraries itself, but the tools must be there.
without_apt() {
  lacking=
  compiler_works || lacking="$lacking a C++20 compiler (g++ 12 or clang 15),"
  cmake_works || lacking="$lacking CMake 3.25,"
  [ -n "$(find_nvcc)" ] || pip --version >/dev/null 2>&1 || lacking="$lacking Python 3 with pip (to fetch nvcc),"
  [ -z "$lacking" ] || fail "this system has no apt-get; please install:${lacking%,}." \
    "The C++ libraries are fetched by CMake as far as no package of them is found."
}
