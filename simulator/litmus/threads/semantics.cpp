#include "simulator/litmus/threads/semantics.h"

namespace sim::litmus {

Semantics semantics_of(const ptx::Instruction& in) {
  const bool membar = in.opcode == "membar", fence = in.opcode == "fence" || membar;
  const bool atomic = in.opcode == "atom" || in.opcode == "red";
  Semantics s;
  s.acquires = in.has("acquire") || in.has("acq_rel");
  s.releases = in.has("release") || in.has("acq_rel");
  s.sc = membar || in.has("sc");
  // Without a qualifier a fence is both.
  if (fence && !s.acquires && !s.releases) s.acquires = s.releases = true;
  const bool system = in.has("volatile") || in.has("mmio") || in.has("sys");
  s.strong = fence || atomic || system || in.has("relaxed") || s.acquires || s.releases;
  s.scope = system                                    ? Scope::sys
            : in.has("cta")                           ? Scope::cta
            : in.has("cluster")                       ? Scope::cluster
            : in.has("gpu") || in.has("gl") || atomic ? Scope::gpu
                                                      : Scope::cta;
  return s;
}

}  // namespace sim::litmus
