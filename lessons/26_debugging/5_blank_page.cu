// Blank page: where two arrays differ first.
#include "blank_page.h"

// TODO(1): first_difference(), whose contract is in blank_page.h: kernels, launches and all else. Where many
//          elements differ, not every one of them should ask for the same place in memory.
