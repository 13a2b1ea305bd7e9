// What the compiler's static libraries take from a C library that is newer than the one a package is linked for. Hidden:
// programs and libraries that are loaded beside it have the machine's own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

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

// 2.29. Where the machine's C library is older, nothing of a package starts a program in another folder.
HIDDEN int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* folder) {
  int (*machines)(posix_spawn_file_actions_t*, const char*) = NULL;
  *(void**)&machines = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addchdir_np");
  return machines != NULL ? machines(actions, folder) : ENOSYS;
}

// 2.34. Else what could be open is closed one by one, which posix_spawn() does not mind of those that are not.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int from) {
  int (*machines)(posix_spawn_file_actions_t*, int) = NULL;
  *(void**)&machines = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
  if (machines != NULL) return machines(actions, from);
  const int most = 256;  // more than `ladder` and its runners ever have open without close-on-exec
  int error = 0;
  for (int fd = from; fd < most && error == 0; ++fd) error = posix_spawn_file_actions_addclose(actions, fd);
  return error;
}
