// Blank page: equal keys in groups of 32, counted and ranked. blank_page.h says what is wanted.
#include "blank_page.h"

// TODO(1): rank_equal_keys(), and the kernel that it needs (about 25 lines).
