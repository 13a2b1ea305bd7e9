// libFuzzer: any bytes give the text of a PTX entry, or an error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/fatbin/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    for (const sim::fatbin::Entry& entry : sim::fatbin::entries(bytes)) {
      if (entry.kind == sim::fatbin::Kind::ptx) sim::fatbin::unpack(entry);
    }
    sim::fatbin::best_ptx(bytes, 90);
  } catch (const sim::fatbin::Error&) {
  }
  return 0;
}
