// Blank page: a picture turned by a quarter.
#include "blank_page.h"

// TODO(1): quarter_turn(), as blank_page.h has it: the kernel, and the function that launches it.
