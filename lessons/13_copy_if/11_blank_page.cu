#include "blank_page.h"
#include "scan.h"

// TODO(1): the kernels and partition(). scan.h is that of rungs 4 to 10. How many of the others come
//          before an element, if you know its place in the input and how many before it go to the front?
