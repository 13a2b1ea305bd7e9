// Blank page: the lowest and the highest reading of each station. blank_page.h says what is wanted.
#include <climits>

#include "blank_page.h"
#include "common/grid.h"

// TODO(1): extremes(), and the kernels that it needs (about 30 lines).
