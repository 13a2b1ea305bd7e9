#include "simulator/sanitizer/global_shadows.h"

namespace sim::sanitizer {

GlobalShadow* GlobalShadows::look_up(u32 instruction, u64 address) {
  const memory::Allocation* a = space_.find(address);
  if (a == nullptr || address - a->base >= a->size) return nullptr;
  auto& shadow = shadows_[a->base];
  if (shadow == nullptr) {
    shadow = std::make_unique<GlobalShadow>(a->base, a->size);
    if (written_ != nullptr) shadow->written = written_->of(*a);
  }
  return last_of_[instruction] = shadow.get();
}

}  // namespace sim::sanitizer
