#include "simulator/instructions/families.h"

namespace sim::exec {

void declare_rare(InstructionSet& defs) {
  declare_half(defs);
  declare_half_convert(defs);
  declare_async(defs);
  declare_bulk(defs);
  declare_tensor(defs);
  declare_matrix(defs);
  declare_texture(defs);
  declare_stack(defs);
  declare_video(defs);
  declare_small_integer(defs);
  declare_fp8(defs);
  declare_cluster(defs);
  declare_wide_atomic(defs);
}

}  // namespace sim::exec
