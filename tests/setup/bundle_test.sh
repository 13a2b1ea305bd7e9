#!/bin/sh
# bundle_test.sh LADDER FOLDER: packs a finished rung, unpacks it where nothing is but the C library and a shell, and runs
# it there. Ends with 77 where bubblewrap cannot make such a place.
set -eu
ladder=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/root/bin" "$folder/root/tmp" "$folder/home"

# The C library's own files, and nothing that a package of ours or of CUDA's brings.
for library in $(ldd "$ladder" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p') \
               $(ldd /bin/sh | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'); do
  case $library in */libc.so* | */libm.so* | */ld-linux*) ;; *) continue ;; esac
  mkdir -p "$folder/root$(dirname "$library")"
  cp -L "$library" "$folder/root$library"
done
for name in libdl.so.2 libpthread.so.0 librt.so.1; do
  found=$(find /lib /usr/lib -name "$name" 2>/dev/null | head -n 1)
  [ -z "$found" ] || { mkdir -p "$folder/root$(dirname "$found")" && cp -L "$found" "$folder/root$found"; }
done
for tool in sh dirname; do cp -L "$(command -v $tool)" "$folder/root/bin/$tool"; done

inside() {
  bwrap --unshare-all --ro-bind "$folder/root" / --tmpfs /tmp --bind "$folder/home" /home --proc /proc --dev /dev \
    --chdir /home --clearenv --setenv PATH /bin "$@"
}
command -v bwrap >/dev/null || { echo "SKIPPED: bubblewrap is not installed"; exit 77; }
mkdir -p "$folder/root/home" "$folder/root/proc" "$folder/root/dev"
inside /bin/sh -c : || { echo "SKIPPED: bubblewrap is not allowed here"; exit 77; }

"$ladder" bundle 01.1 --solution --out "$folder/bundle.tar.gz"
tar -C "$folder/home" -xf "$folder/bundle.tar.gz"
said=$(inside /home/cuda-ladder-01_vector_add/run) || { echo "$said"; exit 1; }
echo "$said"
case $said in
  *"times modelled"*passed*) ;;
  *) echo "the rung did not pass there"; exit 1 ;;
esac
