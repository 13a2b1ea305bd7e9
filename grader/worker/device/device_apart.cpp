// The simulated GPU of a rung whose simulator is another
// process: counters, findings and clock are asked there.
#include <cstring>

#include "grader/protocol/protocol.h"
#include "grader/worker/device/device.h"
#include "simulator/remote/client/connection.h"

namespace ladder {
namespace {

class Apart final : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::simulator; }
  std::size_t guard_bytes() const override { return 0; }
  void set_up() override { sim::remote::connect(kChannelFd); }
  double host_clock_ns() override { return 0; }
  std::vector<sim::KernelRecord> take_kernels() override { return {}; }
  std::vector<sim::Finding> take_findings() override { return {}; }
  void chill_caches(void*, std::size_t) override {}
};

}  // namespace

Device& device() {
  static Apart apart;
  return apart;
}

}  // namespace ladder

extern "C" void ladder_name_scratch(const void* start, const char* name, std::uint32_t element_bytes,
                                    std::int64_t elements, std::uint64_t before) {
  sim::remote::NamedArray told{.start = reinterpret_cast<std::uint64_t>(start),
                               .name = {},
                               .element_bytes = element_bytes,
                               .elements = elements,
                               .before = before};
  std::strncpy(told.name, name, sizeof told.name - 1);
  (void)sim::remote::ask(sim::remote::Call::name_array, told);
}
