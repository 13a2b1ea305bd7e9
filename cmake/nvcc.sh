#!/bin/sh
# Runs nvcc on one module, quicker, and makes sure that its two builds are one program.
#
#   nvcc.sh - NVCC ARGUMENT...                  just that
#   nvcc.sh NOTE NVCC ARGUMENT...               NOTE: a file for the digest of what the preprocessor made of the source
#   nvcc.sh FOLDER/ NVCC ARGUMENT... [--check NVCC ARGUMENT...]
#                                               a module, and with it the check build's PTX. Precompiled headers are kept
#                                               in FOLDER. For architectures whose PTX is kept, and no others
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
# - Most sources need no textures, no atomics and no special loads, whose declarations are a fifth of cuda_runtime.h: a
#   text that names none of them follows a shorter one.
# - ld.gold links in a third of ld.bfd's time. Where it cannot (some toolchains are not laid out as it wants), ld.bfd does.
# - The tools ask for memory in large pieces and pages: a third of their time was the kernel's, for pages of 4 kB.
# What the tools say is told in nvcc's order, up to the first that fails. A plan of another shape than the one known here
# is nvcc's own business, in two calls.

# shellcheck disable=SC2034,SC2154  # variables of plans are set and read by eval

note=$1
shift
export SOURCE_DATE_EPOCH=0  # __DATE__ and __TIME__ are the same in both builds
export MALLOC_TOP_PAD_="${MALLOC_TOP_PAD_:-67108864}" GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}"

# The command lines as text for eval; of the first also the source, the product and the file of dependencies.
fast='' check='' source='' product='' target='' dependencies='' before=''
for word; do
  case $word in
    --check) check=' '; continue ;;
    *\'*) quoted=$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g") ;;
    *) quoted=$word ;;
  esac
  if [ -n "$check" ]; then check="$check '$quoted'"; continue; fi
  fast="$fast '$quoted'"
  case $before in
    -o) product=$word ;;
    -MT) target=$word ;;
    -MF) dependencies=$word ;;
  esac
  case $word in *.cu) source=$word ;; esac
  before=$word
done

integers='(u?int(_fast|_least)?(8|16|32|64)|u?int(ptr|max)|size|ptrdiff)_t'
if ! sed -E "s/\bstd::$integers\b//g" "$source" | grep -qw std; then
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

# The functions of the headers that are left out for sources that name none of them, and the guards of these headers.
special='\b(atomic[A-Z]|__(ld|st|funnelshift|dp[24]a)|[iu]?tex[123C]|i?surf[123C]|cudaCreateChannelDesc)'
without=''
for header in SM_32_INTRINSICS SM_35_INTRINSICS SM_60_ATOMIC_FUNCTIONS SM_61_INTRINSICS TEXTURE_INDIRECT_FUNCTIONS \
  SURFACE_INDIRECT_FUNCTIONS CHANNEL_DESCRIPTOR; do
  without="$without -D__${header}_H__"
done

# before COMMAND: a step's words before its source
before() { printf '%s' "${1%%" \"$source\" -o "*}"; }

# alone WORDS: the same without the header that nvcc puts before each source
alone() { printf '%s' "${1%% -include \"cuda_runtime.h\"*}${1#* -include \"cuda_runtime.h\"}"; }

# prelude: $prelude is the folder of what comes before a source. It is named by the commands that read it and by this
# script, and made anew when one of its headers is newer. In it, for each half:
#   HALF.system, HALF.macros  what is defined at its end, by system headers and by others
#   HALF.all, HALF.most       its text; the second without the special functions
# @return whether there is one
prelude() {
  name=$({ cat "$0"; before "$fast_device_text"; before "$fast_host_text"; echo "$fast_compile"; } |
    sed "s#$kept##g; s#-I *\"[^\"]*\"##g; s#\"[^\"]*cudafe1.cpp\".*##" | sha256sum)
  prelude=$note${name%% *}
  # shellcheck disable=SC2046  # a path a word
  if [ -e "$prelude/headers" ]; then
    newer=$(find $(cat "$prelude/headers") -cnewer "$prelude/headers" -print -quit 2>&1) && [ -z "$newer" ] && return
    rm -rf "$prelude"
  fi
  mkdir -p "$note" "$kept/new" && : >"$kept/prelude.cu" || return
  half device "$fast_device_text" "$fast_cicc" &
  half host "$fast_host_text" "$fast_cudafe" && wait "$!" || return
  # By change of their status, not of their text: a package's files are as old as it.
  sed 's/^[^:]*\.o://; s/\\$//' "$kept"/new/*.d | tr -s ' ' '\n' | grep -v '/prelude\.cu$' | sort -u >"$kept/new/headers"
  rm "$kept"/new/*.d "$kept"/new/*.own
  mv -T "$kept/new" "$note$$.new" && { mv -T "$note$$.new" "$prelude" 2>/dev/null || rm -rf "$note$$.new"; }
  # Of those that are no longer used, some stay: they are large.
  # shellcheck disable=SC2012  # names are digests
  ls -t "$note" | tail -n +9 | while IFS= read -r old; do rm -rf "${note:?}$old"; done
  [ -e "$prelude/headers" ]
}

# text_of COMMAND: what a preprocessor's step makes
text_of() {
  text=${1#*" \"$source\" -o \""}
  printf '%s' "${text%%\"*}"
}

# half HALF COMMAND READER: its part of a new prelude. A toolkit whose headers need what is left out has one text for all.
half() {
  words=$(before "$2") made=$kept/new/$1
  case $words in *' -include "cuda_runtime.h"'*) ;; *) return 1 ;; esac
  for text in most all; do  # the dependencies are the last one's
    more=''
    [ $text = all ] || more=$without
    eval "$words $more -MD -MF \"\$made.d\" -MT prelude.o \"\$kept/prelude.cu\" -o \"\$made.text\"" >&2 || return
    grep -v '^# [0-9]* ".*/prelude\.cu"' "$made.text" >"$made.$text"
  done
  rm "$made.text"
  read_text="\"$(text_of "$2")\"" made_text="$made.ii"  # the reader goes by a name's ending
  cp "$made.most" "$made_text" || return
  eval "${3%%"$read_text"*}\"\$made_text\"${3#*"$read_text"}" >/dev/null 2>&1 || cp "$made.all" "$made.most" || return
  rm "$made_text"
  # A macro of a system header stays one: what it becomes is not warned of.
  eval "$(alone "$words") -dM \"\$kept/prelude.cu\"" >"$made.own" &&
    eval "$words -dD \"\$kept/prelude.cu\"" >"$made.text" &&
    echo '#pragma GCC system_header' >"$made.system" && awk -v others="$made.macros" -v system_ones="$made.system" '
      NR == FNR { own[$2]; next }
      $1 == "#" { is_system = $4 == 3 || $5 == 3; next }
      $1 == "#define" && !($2 in own) { name = $2; sub(/\(.*/, "", name); text[name] = $0; of_system[name] = is_system }
      $1 == "#undef" { delete text[$2] }
      END { for (name in text) print text[name] >>(of_system[name] ? system_ones : others) }' "$made.own" "$made.text" &&
    rm "$made.text"
}

# preprocess HALF: the source's text behind the prelude's; $which is the prelude's.
preprocess() {
  eval "step=\$fast_$1_text"
  text=$(text_of "$step")
  words="$(alone "$(before "$step")") -imacros \"\$prelude/$1.system\" -imacros \"\$prelude/$1.macros\""
  eval "fast_$1_text=\$words' -MD -MF \"\$kept/$1.d\" -MT \"\$target\" \"\$source\" -o \"\$kept/$1.rest\"'"
  run "fast_$1_text" || return
  which=most
  ! grep -qE "$special" "$kept/$1.rest" || which=all
  {
    head -n 1 "$kept/$1.rest"
    cat "$prelude/$1.$which"
    awk 'NR == 1 { first = "# 1" substr($0, 4) } $0 == first { inside = 1 } inside' "$kept/$1.rest"
  } >"$text"
}

# Has the host's compiler read what its front end made of the prelude from a precompiled header; where there is none that
# begins as this text does, one is to be made: $wanted.
precompiled() {
  case $fast_cudafe in *' --clang'*) return ;; esac  # which refuses to go on where a header does not fit
  text=${fast_cudafe#*--gen_c_file_name \"} text=${text%%\"*}
  flags=${fast_compile%%" \"$text\" -o "*} object=${fast_compile#*" \"$text\" -o "}
  [ "$flags" != "$fast_compile" ] || return
  header=$prelude/$which
  if [ -e "$header/prelude.h.gch" ]; then
    read -r cut <"$header/lines"
    ! prelude_of "$text" | cmp -s - "$header/prelude.h" || {
      { head -n 1 "$text"; tail -n +"$cut" "$text"; } >"$kept/rest.cpp"
      fast_quickly="$flags -include \"\$header/prelude.h\" \"\$kept/rest.cpp\" -o $object"
    }
    return
  fi
  # The first line that is from another file than cuda_runtime.h and those before: of the source, or what it includes.
  cut=$(grep -n '^# [0-9]* "' "$text" | awk -F: '
    seen && !/\/include\// { if (inside) cut = $1; exit }
    /\/cuda_runtime\.h"/ { inside = seen = 1; next }
    inside { inside = 0; cut = $1 }
    END { print cut }')
  [ -z "$cut" ] || wanted=$kept/header
}

# The lines before $cut, without those that name the source.
prelude_of() { head -n $((cut - 1)) "$1" | sed '1,40{/^# [0-9]* ".*\.cu"$/d;}'; }

link() {
  if [ -x "$(command -v ld.gold)" ]; then
    plain=$fast_link fast_link="$fast_link -fuse-ld=gold"
    run fast_link && return
    fast_link=$plain
    rm "$kept/fast_link.failed"
  fi
  run fast_link
}

keep_precompiled() {
  mkdir "$wanted" && echo "$cut" >"$wanted/lines" && prelude_of "$text" >"$wanted/prelude.h" || return
  eval "${flags%%' -c -x c++ '*} -x c++-header ${flags#*' -c -x c++ '} \"\$wanted/prelude.h\" -o \"\$wanted/prelude.h.gch\"" &&
    mv "$wanted" "$header.$$" && { mv -T "$header.$$" "$header" || rm -rf "$header.$$"; }
}

fast_ptxas='' check_ptxas=''  # of some architectures nvcc has PTX looked at, of others not
plan fast "$fast" device_text host_text cudafe cicc fatbinary compile link || apart

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

prelude || apart

preprocess device && run fast_cicc && run fast_fatbinary &
device=$!
fast_quickly='' wanted=''
preprocess host && run fast_cudafe && precompiled
wait "$device"
{
  run fast_ptxas
  if [ -z "$check" ]; then
    :
  elif plan check "$check" cicc; then
    check_cicc="${check_cicc%%--gen_module_id_file *}${check_cicc#*--gen_module_id_file }"
    run check_cicc && run check_ptxas
  else
    touch "$kept/unknown"
  fi
} &
check_build=$!
{ [ -n "$fast_quickly" ] && run fast_quickly || run fast_compile; } && link
wait "$check_build"

[ ! -e "$kept/unknown" ] || apart
# shellcheck disable=SC2086  # names of tools
tell fast $fast_tools >&2 || { rm -f "$product"; exit "$status"; }
tell check cicc ptxas >"$kept/said" || { echo 'the check build is refused'; cat "$kept/said"; exit "$status"; } >&2
[ -z "$dependencies" ] || {
  sed "s# *$prelude/[a-z]*\.[a-z]*##g" "$kept/device.d" "$kept/host.d"
  printf '%s:' "$target"
  sed 's/.*/ & \\/' "$prelude/headers"
  echo
} >"$dependencies"
[ -z "$wanted" ] || keep_precompiled >/dev/null 2>&1
exit 0
