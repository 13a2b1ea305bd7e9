// Blank page: sums of windows.
#include <cstddef>

#include "blank_page.h"

// TODO(1): box_sum(), whose contract is in blank_page.h: kernel, launch and all else. A sum of a window
//          is a sum of sums that neighbouring windows share.
