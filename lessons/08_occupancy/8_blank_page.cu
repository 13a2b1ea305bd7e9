// Blank page: the nearest of many points.
#include "blank_page.h"

// TODO(1): nearest(), as blank_page.h has it: the kernel, and the function that launches it.
