// Includes the solution.
// outcome: build_failed
// says: No such file
#include "@CHECKOUT@/solutions/03_rgb_to_gray/1_one_row.cu"
