// Rung 5, a blank page: how far two pictures differ, byte by byte. See blank_page.h.
#include "blank_page.h"

// TODO(1): write difference() and its kernel (some 35 lines), with the widest accesses that a thread has. A
//          byte at a time is right as well, but has not the idea.
