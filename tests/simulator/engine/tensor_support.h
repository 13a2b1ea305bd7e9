// Kernels that copy one box by a tensor map.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/memory/tensor_map.h"
#include "tests/simulator/engine/exec_support.h"

namespace sim::test::tensor {

using memory::TensorMap;

inline constexpr unsigned kTile = 8192;

/// A kernel k(map, out, c0 ... c4, bytes) that one thread runs: tile holds in its words 0, 1, 2 ...; %f is
/// its address, ready an mbarrier for one arrival; afterwards the tile goes to out.
inline std::string tensor_kernel(const std::string& body) {
  std::string params = ".param .u64 map, .param .u64 out", loads;
  for (int i = 0; i < 5; ++i) {
    params += ", .param .u32 c" + std::to_string(i);
    loads += "  ld.param.u32 %c" + std::to_string(i) + ", [c" + std::to_string(i) + "];\n";
  }
  return kernel_text(params + ", .param .u32 bytes", R"(
  .reg .pred %p, %q;
  .reg .b16 %h;
  .reg .b32 %f, %s, %t, %v, %n, %r, %c<5>;
  .reg .b64 %m, %o, %w, %x, %y;
  .shared .align 1024 .b8 tile[8192];
  .shared .align 8 .b64 ready;
  ld.param.u64 %m, [map];
  ld.param.u64 %o, [out];
  ld.param.u32 %n, [bytes];
)" + loads + R"(
  mov.u32 %f, tile;
  mov.u32 %r, %cluster_ctarank;
  mov.u64 %y, 0;
  mov.u32 %t, 0;
fill:
  add.u32 %s, %f, %t;
  shr.u32 %v, %t, 2;
  st.shared.u32 [%s], %v;
  add.u32 %t, %t, 4;
  setp.lt.u32 %p, %t, 8192;
  @%p bra fill;
  mbarrier.init.shared.b64 [ready], 1;
  fence.proxy.async;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)" + body + R"(
  mad.wide.u32 %o, %r, 8192, %o;
  mov.u32 %t, 0;
give:
  add.u32 %s, %f, %t;
  ld.shared.u32 %v, [%s];
  cvt.u64.u32 %x, %t;
  add.u64 %x, %x, %o;
  st.global.u32 [%x], %v;
  add.u32 %t, %t, 4;
  setp.lt.u32 %p, %t, 8192;
  @%p bra give;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;)");
}

inline const std::string kExpect = "mbarrier.arrive.expect_tx.shared.b64 %w, [ready], %n;\n",
                         kWait = "\nw: mbarrier.try_wait.parity.shared.b64 %q, [ready], 0;\n  @!%q bra w;\n";

inline std::string list_of(unsigned rank) {
  std::string list = "{%c0";
  for (unsigned i = 1; i < rank; ++i) list += ", %c" + std::to_string(i);
  return list + "}";
}

struct Run {
  std::vector<unsigned char> tile, tensor;
};

/// A map with packed rows of multiples of 16 bytes.
inline TensorMap map_of(unsigned element_bytes, std::vector<unsigned> extent, std::vector<unsigned> box) {
  TensorMap map;
  map.magic = TensorMap::kMagic;
  map.rank = std::uint8_t(extent.size());
  map.element_bytes = std::uint8_t(element_bytes);
  std::uint64_t bytes = extent[0] * element_bytes;
  for (std::size_t i = 0; i < extent.size(); ++i) {
    map.extent[i] = extent[i];
    map.box[i] = std::uint16_t(box[i]);
    map.step[i] = 1;
    if (i + 1 == extent.size()) break;
    map.stride[i] = bytes = (bytes + 15) / 16 * 16;
    bytes *= extent[i + 1];
  }
  return map;
}

inline std::vector<unsigned char> tensor_bytes(const TensorMap& map) {
  const std::size_t n =
      map.rank == 1 ? map.extent[0] * map.unit_bytes() : map.stride[map.rank - 2] * map.extent[map.rank - 1];
  std::vector<unsigned char> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = (unsigned char)(i * 7 + i / 251);
  return all;
}

inline Run run_box(const std::string& body, TensorMap map, const std::vector<int>& at, unsigned blocks = 1) {
  Device device(tensor_kernel(body));
  const auto tensor = tensor_bytes(map);
  map.address = device.upload(tensor);
  std::vector<unsigned char> bytes(128);
  std::memcpy(bytes.data(), &map, sizeof map);
  const auto there = device.upload(bytes), out = device.upload(std::vector<unsigned char>(kTile * blocks));
  device.shape.grid = device.shape.cluster = {blocks, 1, 1};
  device.shape.instruction_limit = 1'000'000;
  int c[5] = {};
  std::copy(at.begin(), at.end(), c);
  device.run("k", there, out, c[0], c[1], c[2], c[3], c[4], map.box_bytes());
  return {device.download<unsigned char>(out, kTile * blocks),
          device.download<unsigned char>(map.address, tensor.size())};
}

}  // namespace sim::test::tensor
