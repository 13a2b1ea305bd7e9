#!/bin/sh
# Runs nvcc on one module, quicker, and makes sure that its two builds are one program.
#
#   nvcc.sh - NVCC ARGUMENT...                  just that
#   nvcc.sh NOTE NVCC ARGUMENT...               NOTE: a file for the digest of what the preprocessor made of the source
#   nvcc.sh FOLDER/ [--shake PROGRAM] [--any] NVCC ARGUMENT... [--check NVCC ARGUMENT...]
#                                               a module (an object with -c), and with it the check build's PTX.
#                                               Precompiled headers are kept in FOLDER. For architectures whose PTX is
#                                               kept, and no others. PROGRAM: ladder-shake. --any: of any source; one of
#                                               the course's includes no header of others that uses more of std than it
#
# A rung's check build has to be the same program as its fast build, else findings are looked for in something else:
# whoever makes them apart compares the notes. `ladder grade` runs this in the compiler's cell as well.
#
# Quicker, in these ways:
# - With C++17 libstdc++'s <cmath>, which nvcc always includes, brings the special functions of mathematics (Bessel's and
#   their like), and with them <limits> and half of <algorithm>. All of it goes through three front ends: a quarter of the
#   time that a rung takes. A source that names nothing of std but integer types does without.
# - nvcc runs its tools one after the other, and each build would preprocess the source. Its plan (--dryrun) says which
#   tools these are. The host's half and the device's run side by side, and both builds read one text.
# - What comes before the source, cuda_runtime.h, is the same for all: its text and its macros are kept, so that only the
#   source is preprocessed; and what the host's front end makes of it the host's compiler has precompiled.
# - Of what headers declare a rung uses little: ladder-shake drops what nobody names. What a front end refuses then, it is
#   given whole, and says what it would have said.
# - ld.gold links in a third of ld.bfd's time. Where it cannot (some toolchains are not laid out as it wants), ld.bfd does.
# - The tools ask for memory in large pieces and pages: a third of their time was the kernel's, for pages of 4 kB.
# What the tools say is told in nvcc's order, up to the first that fails. A plan of another shape than the one known here
# is nvcc's own business, in two calls.

# shellcheck disable=SC2034,SC2154  # variables of plans are set and read by eval

note=$1 shake='' any=''
shift
[ "$1" != --shake ] || { shake=$2; shift 2; }
[ "$1" != --any ] || { any=$1; shift; }
export SOURCE_DATE_EPOCH=0  # __DATE__ and __TIME__ are the same in both builds
export MALLOC_TOP_PAD_="${MALLOC_TOP_PAD_:-67108864}" GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}"

# The command lines as text for eval; of the first also the source, the product and the file of dependencies.
fast='' check='' source='' product='' target='' dependencies='' depend=-MD before='' check_product=''
for word; do
  case $word in
    --check) check=' '; continue ;;
    *\'*) quoted=$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g") ;;
    *) quoted=$word ;;
  esac
  if [ -n "$check" ]; then
    check="$check '$quoted'"
    [ "$before" != -o ] || check_product=$word
    before=$word
    continue
  fi
  fast="$fast '$quoted'"
  case $before in
    -o) product=$word ;;
    -MT) target=$word ;;
    -MF) dependencies=$word ;;
  esac
  case $word in *.cu) source=$word ;; -MMD) depend=$word ;; esac
  before=$word
done

integers='(u?int(_fast|_least)?(8|16|32|64)|u?int(ptr|max)|size|ptrdiff)_t'
if [ -z "$any" ] && ! sed -E "s/\bstd::$integers\b//g" "$source" | grep -qw std; then
  lean=' -D_GLIBCXX_BITS_SPECFUN_H'  # the guard of the header that has them
  fast=$fast$lean check=${check:+$check$lean}
fi
[ "$note" != - ] || eval "exec $fast"

kept=$(mktemp -d "${TMPDIR:-/tmp}/ladder-nvcc.XXXXXX") || exit 125
trap 'rm -rf "$kept"' EXIT

case $note in
  */) ;;
  *)
    eval "$fast -keep -keep-dir \"\$kept\"" || exit
    cat "$kept"/*.cpp1.ii | sha256sum >"$note"
    exit ;;
esac

# plan BUILD COMMAND TOOL...: nvcc's plan of a build, as variables BUILD_TOOL, and as BUILD_tools their order.
# @return whether it has these tools, each once, and no others
plan() {
  build=$1 tools=''
  eval "$2 -keep -keep-dir \"\$kept\" --dryrun" >"$kept/plan" 2>&1 || return 1
  shift 2
  while IFS= read -r line; do
    case $line in '#$ '*) line=${line#'#$ '} ;; *) return 1 ;; esac
    case ${line%%=*} in
      CICC_PATH | PATH | LD_LIBRARY_PATH | NVVMIR_LIBRARY_DIR) export "${line?}"; continue ;;
      *[!A-Za-z0-9_]* | '') ;;
      *) continue ;;  # another variable
    esac
    case $line in
      *' -E -x c++'*.cpp1.ii*) tool=device_text ;;
      *' -E -x c++'*.cpp4.ii*) tool=host_text ;;
      *cudafe++*' --gen_c_file_name '*) tool=cudafe ;;
      *cicc*' -arch '*.cpp1.ii*) tool=cicc ;;
      ptxas\ *) tool=ptxas ;;
      fatbinary\ *) tool=fatbinary ;;
      *' -c -x c++'*.cudafe1.cpp*) tool=compile ;;
      *' -shared '*' -o '*) tool='link' ;;
      'rm '* | '-- '*) continue ;;
      *) return 1 ;;
    esac
    case " $tools " in *" $tool "*) return 1 ;; esac
    tools="$tools $tool"
    eval "${build}_$tool=\$line"
  done <"$kept/plan"
  eval "${build}_tools=\$tools"
  for tool; do
    case "$tools " in *" $tool "*) ;; *) return 1 ;; esac
  done
}

# The plan was not understood: two calls, whose texts are compared.
apart() {
  [ -n "$check" ] || { eval "$fast"; exit; }
  mkdir "$kept/fast" "$kept/check"
  eval "$fast -keep -keep-dir \"\$kept/fast\"" || exit
  eval "$check -keep -keep-dir \"\$kept/check\"" || { status=$?; echo 'the check build is refused'; exit "$status"; }
  cmp -s "$kept"/fast/*.cpp1.ii "$kept"/check/*.cpp1.ii || { echo 'the check build would be another program'; exit 1; }
  exit 0
}

# run BUILD_TOOL: a step of a plan, if it is in it; what it says goes to a file.
run() {
  eval "step=\$$1"
  [ -n "$step" ] || return 0
  eval "$step" >"$kept/$1.said" 2>&1 && return
  echo $? >"$kept/$1.failed"
  return 1
}

# tell BUILD TOOL...: what these said, up to the first that failed; its status
tell() {
  build=$1
  shift
  for tool; do
    [ ! -s "$kept/${build}_$tool.said" ] || cat "$kept/${build}_$tool.said"
    [ -e "$kept/${build}_$tool.failed" ] || continue
    read -r status <"$kept/${build}_$tool.failed"
    [ "$status" -le 128 ] || [ "$status" -gt 192 ] || echo "nvcc error   : '$tool' died due to signal $((status - 128))"
    return "$status"
  done
}

# before COMMAND: a step's words before its source
before() { printf '%s' "${1%%" \"$source\" -o "*}"; }

# alone WORDS: the same without the header that nvcc puts before each source
alone() { printf '%s' "${1%% -include \"cuda_runtime.h\"*}${1#* -include \"cuda_runtime.h\"}"; }

# prelude: $prelude is the folder of what comes before a source. It is named by the commands that read it and by this
# script, and made anew when one of its headers is newer. In it, for each half:
#   HALF.text                 what the preprocessor makes of it; its last line is $ends
#   HALF.system, HALF.macros  what is defined at its end, by system headers and by others
# and prelude.h.gch, what the host's compiler makes of what the host's front end makes of it.
# @return whether there is one
prelude() {
  name=$({ cat "$0"; before "$fast_device_text"; before "$fast_host_text"; echo "$fast_compile"; } |
    sed "s#$kept##g; s#-I *\"[^\"]*\"##g; s#\"[^\"]*cudafe1.cpp\".*##" | sha256sum)
  prelude=$note${name%% *}
  # shellcheck disable=SC2046  # a path a word
  if [ -e "$prelude/headers" ]; then
    touch -c "$prelude"  # as the last one used
    newer=$(find $(cat "$prelude/headers") -cnewer "$prelude/headers" -print -quit 2>&1) && [ -z "$newer" ] && return
    rm -rf "$prelude"
  fi
  mkdir -p "$note" "$kept/new" && : >"$kept/prelude.cu" || return
  half device "$fast_device_text" &
  half host "$fast_host_text" && { precompile >/dev/null 2>&1 || rm -f "$kept"/new/prelude.h*; } && wait "$!" || return
  # By change of their status, not of their text: a package's files are as old as it.
  sed 's/^[^:]*\.o://; s/\\$//' "$kept"/new/*.d | tr -s ' ' '\n' | grep -v '/prelude\.cu$' | sort -u >"$kept/new/headers"
  rm "$kept"/new/*.d "$kept"/new/*.own
  mv -T "$kept/new" "$note$$.new" && { mv -T "$note$$.new" "$prelude" 2>/dev/null || rm -rf "$note$$.new"; }
  # Those used last stay: they are large, and another call may read one of them just now.
  # shellcheck disable=SC2012  # names are digests
  ls -t "$note" | tail -n +9 | while IFS= read -r old; do rm -rf "${note:?}$old"; done
  [ -e "$prelude/headers" ]
}

ends=ladder_prelude_ends

# text_of COMMAND: the file that a preprocessor's step makes
text_of() {
  text=${1#*" \"$source\" -o \""}
  printf '%s' "${text%%\"*}"
}

# half HALF COMMAND: its part of a new prelude
half() {
  words=$(before "$2") made=$kept/new/$1
  case $words in *' -include "cuda_runtime.h"'*) ;; *) return 1 ;; esac
  eval "$words -MD -MF \"\$made.d\" -MT prelude.o \"\$kept/prelude.cu\" -o \"\$made.all\"" >&2 || return
  { grep -v '^# [0-9]* ".*/prelude\.cu"' "$made.all"; printf '# 1 "prelude"\ntypedef int %s;\n' $ends; } >"$made.text"
  # A macro of a system header stays one: what it becomes is not warned of.
  eval "$(alone "$words") -dM \"\$kept/prelude.cu\"" >"$made.own" &&
    eval "$words -dD \"\$kept/prelude.cu\"" >"$made.all" &&
    echo '#pragma GCC system_header' >"$made.system" && awk -v others="$made.macros" -v system_ones="$made.system" '
      NR == FNR { own[$2]; next }
      $1 == "#" { is_system = $4 == 3 || $5 == 3; next }
      $1 == "#define" && !($2 in own) { name = $2; sub(/\(.*/, "", name); text[name] = $0; of_system[name] = is_system }
      $1 == "#undef" { delete text[$2] }
      END { for (name in text) print text[name] >>(of_system[name] ? system_ones : others) }' "$made.own" "$made.all" &&
    rm "$made.all"
}

# lines_before, lines_behind TEXT: of what the host's front end has made, those of the prelude, without the source's name,
# and the others
lines_before() { sed "/ $ends;/q" "$1" | sed '1,40{/^# [0-9]* ".*\.cu"$/d;}'; }
lines_behind() { head -n 1 "$1"; sed "1,/ $ends;/d" "$1"; }

# Has the host's compiler precompile the prelude.
precompile() {
  case $fast_cudafe in *' --clang'*) return 1 ;; esac  # which refuses to go on where a header does not fit
  flags=${fast_compile%%" \"$host_code\" -o "*} header=$kept/new/prelude.h
  [ "$flags" != "$fast_compile" ] && cp "$kept/new/host.text" "$host_text" && eval "$fast_cudafe" &&
    lines_before "$host_code" >"$header" && rm "$host_text" "$host_code" &&
    eval "${flags%%' -c -x c++ '*} -x c++-header ${flags#*' -c -x c++ '} \"\$header\" -o \"\$header.gch\""
}

# preprocess HALF: the source's text behind the prelude's, in $kept/HALF.whole, and without what nobody names where the
# half's front end looks for it.
preprocess() {
  eval "step=\$fast_$1_text text=\$$1_text"
  words="$(alone "$(before "$step")") -imacros \"\$prelude/$1.system\" -imacros \"\$prelude/$1.macros\""
  eval "fast_$1_text=\$words' $depend -MF \"\$kept/$1.d\" -MT \"\$target\" \"\$source\" -o \"\$kept/$1.rest\"'"
  run "fast_$1_text" || return
  {
    head -n 1 "$kept/$1.rest"
    cat "$prelude/$1.text"
    awk 'NR == 1 { first = "# 1" substr($0, 4) } $0 == first { inside = 1 } inside' "$kept/$1.rest"
  } >"$kept/$1.whole"
  { [ -x "$shake" ] && { [ "$1" = device ] || [ -e "$prelude/prelude.h.gch" ]; } && "$shake" <"$kept/$1.whole" >"$text" 2>/dev/null; } || cp "$kept/$1.whole" "$text"
}

# read_by BUILD_TOOL HALF: a front end reads a half's text, and the whole where it refuses what is left of it.
read_by() {
  run "$1" && return
  eval "text=\$$2_text"
  ! cmp -s "$kept/$2.whole" "$text" || return
  cp "$kept/$2.whole" "$text" && rm -f "$kept/$1.failed"
  run "$1"
}

# The host's half, whose prelude is precompiled; else of the whole text, for the front end writes calls of functions that
# its source does not name.
compile() {
  if [ -e "$prelude/prelude.h.gch" ] && grep -q " $ends;" "$host_code" 2>/dev/null; then
    plain=$fast_compile
    lines_behind "$host_code" >"$kept/rest.cpp"
    fast_compile="${plain%%" \"$host_code\" -o "*} -include \"\$prelude/prelude.h\" \"\$kept/rest.cpp\" -o ${plain#*" \"$host_code\" -o "}"
    run fast_compile && return
    fast_compile=$plain
    rm "$kept/fast_compile.failed"
  fi
  cmp -s "$kept/host.whole" "$host_text" || { cp "$kept/host.whole" "$host_text" && run fast_cudafe; } || return
  run fast_compile
}

link() {
  [ -n "$fast_link" ] || return 0
  if [ -x "$(command -v ld.gold)" ]; then
    plain=$fast_link fast_link="$fast_link -fuse-ld=gold"
    run fast_link && return
    fast_link=$plain
    rm "$kept/fast_link.failed"
  fi
  run fast_link
}

fast_ptxas='' check_ptxas='' fast_link=''  # of some architectures nvcc has PTX looked at, of others not
plan fast "$fast" device_text host_text cudafe cicc fatbinary compile || apart

# Host and device have to agree upon the name of this source in symbols; else the host's front end makes it up.
fast_cudafe="${fast_cudafe%%--gen_module_id_file *}${fast_cudafe#*--gen_module_id_file }"
name_file=${fast_cudafe#*--module_id_file_name \"} name_file=${name_file%%\"*}
read -r sum size ignored <<END
$(cksum "$source")
END
: "$ignored"
stem=${name_file##*/} stem=${stem%.module_id}_cu
case $stem in *[!A-Za-z0-9_]*) stem=$(printf '%s' "$stem" | tr -c 'A-Za-z0-9_' _) ;; esac
printf '_%08x_%d_%s_%08x' "$sum" "${#stem}" "$stem" "$size" >"$name_file"

device_text=$(text_of "$fast_device_text") host_text=$(text_of "$fast_host_text")
host_code=${fast_cudafe#*--gen_c_file_name \"} host_code=${host_code%%\"*}  # what its front end makes of it
prelude || apart

preprocess device && read_by fast_cicc device && run fast_fatbinary &
device=$!
preprocess host && read_by fast_cudafe host
wait "$device"
{
  run fast_ptxas
  if [ -z "$check" ]; then
    :
  elif plan check "$check" cicc; then
    check_cicc="${check_cicc%%--gen_module_id_file *}${check_cicc#*--gen_module_id_file }"
    read_by check_cicc device && run check_ptxas
  else
    touch "$kept/unknown"
  fi
} &
check_build=$!
compile && link
wait "$check_build"

[ ! -e "$kept/unknown" ] || apart
[ -z "$dependencies" ] || {
  printf '%s:\\\n' "$target"
  {
    cat "$kept/device.d" "$kept/host.d" | sed "s#^[^ ]*: ##; s# *$prelude/[a-z]*\.[a-z]*##g; s/\\\\\$//"
    [ "$depend" = -MMD ] || cat "$prelude/headers"
  } | sed 's/.*/ & \\/'
  echo
} >"$dependencies" 2>/dev/null
# shellcheck disable=SC2086  # names of tools
tell fast $fast_tools >&2 || { rm -f "$product"; exit "$status"; }
tell check cicc ptxas >"$kept/said" || {
  rm -f "$check_product"
  echo 'the check build is refused'
  cat "$kept/said"
  exit "$status"
} >&2
exit 0
