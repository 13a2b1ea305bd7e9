// Blank page: what one access to shared memory takes.
#include "blank_page.h"

// TODO(1): chase_shared(), whose contract is in blank_page.h: kernel, launch and all else. Bringing the
//          chain in is work for many threads, following it for one.
