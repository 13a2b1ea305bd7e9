// What the compiler's static libraries take from a C library that is newer than the one a package is linked for. Hidden:
// programs and libraries that are loaded beside it have the machine's own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.32. Zero is always true: it only forgoes a shortcut.
HIDDEN char __libc_single_threaded = 0;

// 2.36, for std::random_device.
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value)
    if (errno != EINTR) abort();
  return value;
}

// 2.35, for unwinding: the object that an address is in, and its PT_GNU_EH_FRAME.
struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int look(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct search* search = data;
  uintptr_t from = UINTPTR_MAX, to = 0;
  void* frames = NULL;
  int inside = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME) frames = (void*)start;
    if (header->p_type != PT_LOAD) continue;
    if (start < from) from = start;
    if (end > to) to = end;
    inside |= start <= search->address && search->address < end;
  }
  if (!inside || frames == NULL) return inside;
  search->result->dlfo_flags = 0;
  search->result->dlfo_map_start = (void*)from;
  search->result->dlfo_map_end = (void*)to;
  search->result->dlfo_link_map = NULL;
  search->result->dlfo_eh_frame = frames;
  return 2;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look, &search) == 2 ? 0 : -1;
}
