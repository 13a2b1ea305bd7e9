// Rung 7, a blank page: a box cut out of a volume. See blank_page.h.
#include <algorithm>

#include "blank_page.h"

// TODO(1): write crop() and its kernel (some 25 lines). Which threads should be neighbours in memory, and in
//          which of the two volumes?
