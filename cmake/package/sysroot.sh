#!/bin/sh
# A folder to link against an older C library than this machine's: stubs of its libraries, which the wheel of zig makes, and
# what the compiler's static libraries take from newer ones.
#
#   sysroot.sh FOLDER 2.28         then: c++ -B FOLDER/ -L FOLDER -static-libstdc++ -static-libgcc ...
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$1 version=$2
zig_wheel="ziglang==0.17.1"
[ ! -e "$folder/libc.so" ] || exit 0
work=$folder.partial
rm -rf "$work"
mkdir -p "$work/made"
python3 -m pip install --quiet --no-deps --disable-pip-version-check --root-user-action=ignore --target "$work/zig" "$zig_wheel"
echo 'int main(void) { return 0; }' >"$work/main.c"
export ZIG_GLOBAL_CACHE_DIR="$work/cache" ZIG_LOCAL_CACHE_DIR="$work/cache"
"$work/zig/ziglang/zig" cc -target "$(uname -m)-linux-gnu.$version" -fno-sanitize=all "$work/main.c" -o "$work/main" -lm -lpthread -ldl -lrt
for file in crt1.o libc_nonshared.a libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libld.so.2; do
  found=$(find "$work/cache/o" -name "$file" | head -n 1)
  [ -n "$found" ] || { echo "zig made no $file" >&2; exit 1; }
  cp "$found" "$work/made/"
done
cd "$work/made"
cp crt1.o Scrt1.o
for library in m.so.6 pthread.so.0 dl.so.2 rt.so.1 util.so.1; do ln -s "lib$library" "lib${library%%.*}.so"; done
${CC:-cc} -O2 -fPIC -Wall -c "$here/newer_glibc.c" -o newer_glibc.o
ar rcs libnewer_glibc.a newer_glibc.o
echo 'GROUP ( libc.so.6 libnewer_glibc.a libc_nonshared.a AS_NEEDED ( libld.so.2 libpthread.so.0 libdl.so.2 librt.so.1 ) )' >libc.so
cd - >/dev/null
rm -rf "$folder"
mv "$work/made" "$folder"
rm -rf "$work"
