#include "simulator/remote/copies.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "simulator/remote/board.h"
#include "simulator/remote/codec.h"

namespace sim::remote {
namespace {

struct Ranges {
  std::mutex lock;
  std::map<std::uint64_t, std::uint64_t> shared;  ///< first address, bytes
};
Ranges& ranges() {
  static Ranges& all = *new Ranges;
  return all;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw BadCall();
  return product;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw BadCall();
  return sum;
}

/// From the first byte of a pitched block to its last.
std::uint64_t span_of(std::uint64_t pitch, std::uint64_t width, std::uint64_t height) {
  return width == 0 || height == 0 ? 0 : plus(times(pitch, height - 1), width);
}

class Sides {
 public:
  explicit Sides(std::span<const std::byte> packed) : packed_(packed) {}

  std::uint64_t word(std::uint32_t at) const {
    std::uint64_t value = 0;
    if (at + sizeof(value) > packed_.size()) throw BadCall();
    std::memcpy(&value, packed_.data() + at, sizeof(value));
    return value;
  }
  void add(std::uint32_t argument, std::uint64_t bytes, bool written, std::uint64_t other = 0) {
    const std::uint64_t address = word(argument);
    const void* pointer = reinterpret_cast<const void*>(address);
    if (address == 0 || bytes == 0 || is_device_memory(pointer) || is_shared(address)) return;
    found.push_back({argument, address, bytes, written, other});
  }

  std::vector<HostSide> found;

 private:
  std::span<const std::byte> packed_;
};

/// cudaMemcpy3DParms behind the mark that says it is there.
void sides_of_box(Sides& sides, std::span<const std::byte> packed) {
  constexpr std::uint32_t kAt = sizeof(std::uint64_t);
  if (sides.word(0) == 0) return;
  cudaMemcpy3DParms box;
  Unpacker(packed.subspan(kAt)).take(&box, sizeof(box));
  const auto reach = [&](const cudaPitchedPtr& block, const cudaPos& from) {
    const std::uint64_t rows = plus(times(block.ysize, plus(from.z, box.extent.depth)), box.extent.height);
    return plus(times(block.pitch, plus(rows, from.y)), plus(from.x, box.extent.width));
  };
  if (box.extent.width == 0 || box.extent.height == 0 || box.extent.depth == 0) return;
  // More than the box touches, but never less: the simulator's copy must hold whatever the call can reach.
  if (box.srcArray == nullptr)
    sides.add(kAt + offsetof(cudaMemcpy3DParms, srcPtr), reach(box.srcPtr, box.srcPos), false);
  if (box.dstArray == nullptr)
    sides.add(kAt + offsetof(cudaMemcpy3DParms, dstPtr), reach(box.dstPtr, box.dstPos), true);
}

}  // namespace

void share(std::uint64_t first, std::uint64_t bytes) {
  std::lock_guard hold(ranges().lock);
  ranges().shared[first] = std::max(bytes, ranges().shared[first]);
}

bool is_shared(std::uint64_t address, std::uint64_t bytes) {
  if (is_host_visible(reinterpret_cast<const void*>(address))) return true;
  std::lock_guard hold(ranges().lock);
  auto behind = ranges().shared.upper_bound(address);
  if (behind == ranges().shared.begin()) return false;
  --behind;
  const std::uint64_t offset = address - behind->first;
  return offset < behind->second && bytes <= behind->second - offset;
}

std::vector<HostSide> host_sides(Call call, std::span<const std::byte> packed) {
  Sides sides(packed);
  switch (call) {
    case Call::cudaMemcpy_:  // to, from, bytes
    case Call::cudaMemcpyAsync_:
      sides.add(0, sides.word(16), true, sides.word(8));
      sides.add(8, sides.word(16), false, sides.word(0));
      break;
    case Call::cudaMemcpy2D_:  // to, pitch, from, pitch, width, height
    case Call::cudaMemcpy2DAsync_:
      sides.add(0, span_of(sides.word(8), sides.word(32), sides.word(40)), true);
      sides.add(16, span_of(sides.word(24), sides.word(32), sides.word(40)), false);
      break;
    case Call::cudaMemcpy2DFromArray_:  // to, pitch, array, x, y, width, height
    case Call::cudaMemcpy2DFromArrayAsync_:
      sides.add(0, span_of(sides.word(8), sides.word(40), sides.word(48)), true);
      break;
    case Call::cudaMemcpy2DToArray_:  // array, x, y, from, pitch, width, height
    case Call::cudaMemcpy2DToArrayAsync_:
      sides.add(24, span_of(sides.word(32), sides.word(40), sides.word(48)), false);
      break;
    case Call::cudaMemcpyFromSymbol_:  // to, symbol, bytes
    case Call::cudaMemcpyFromSymbolAsync_:
      sides.add(0, sides.word(16), true);
      break;
    case Call::cudaMemcpyToSymbol_:  // symbol, from, bytes
    case Call::cudaMemcpyToSymbolAsync_:
      sides.add(8, sides.word(16), false);
      break;
    case Call::cudaMemcpy3D_:
    case Call::cudaMemcpy3DAsync_:
      sides_of_box(sides, packed);
      break;
    default:
      break;
  }
  return std::move(sides.found);
}

}  // namespace sim::remote
