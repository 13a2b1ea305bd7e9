// Blank page: the losses of a language model, whose logits are in registers and nowhere else.
#include <cstddef>

#include "blank_page.h"
#include "instructions.h"

// TODO(1): token_losses(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 120 lines).
