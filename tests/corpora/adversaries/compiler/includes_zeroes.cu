// Includes a file without end.
// outcome: build_failed
// says: .
#include "/dev/zero"
#include "rgb_to_gray.h"
