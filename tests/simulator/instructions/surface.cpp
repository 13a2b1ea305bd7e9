// suld and sust under every combination of shape, cache, width, type and boundary mode, against the host's
// arithmetic on the same image.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "simulator/memory/texture.h"
#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using namespace sim::test;
using sim::truth::expand;

namespace {

constexpr int kWidth = 5, kHeight = 4, kSlices = 3, kInside = 22;

struct Place {
  int x, y, z;  ///< x in elements; the device is given bytes
};

/// Places inside first, then some outside on each axis: 32 in all.
std::vector<Place> places() {
  std::vector<Place> all;
  for (int i = 0; i < kInside; ++i) all.push_back({i % kWidth, i / 2 % kHeight, i / 3 % kSlices});
  for (const Place& p :
       {Place{-1, 1, 1}, Place{kWidth, 1, 1}, Place{100, 2, 0}, Place{1, -1, 1}, Place{1, kHeight, 2},
        Place{2, 1, -1}, Place{2, 3, kSlices}, Place{2, 3, 77}, Place{-7, -9, -2}, Place{9, 9, 9}})
    all.push_back(p);
  return all;
}

struct TextureAccess {
  std::string instruction, shape, type, mode;
  int elements = 1;

  int bytes() const { return std::stoi(type.substr(1)) / 8 * elements; }
  bool layered() const { return shape[0] == 'a'; }
  int height() const { return shape == "1d" || shape == "a1d" ? 1 : kHeight; }
  int slices() const { return shape == "1d" || shape == "2d" ? 1 : kSlices; }
};

/// The texel that a place means, by its number in the image; -1: none. A layer below the first is, unsigned,
/// beyond the last.
int texel_of(const TextureAccess& a, Place p) {
  if (a.height() == 1) p.y = 0;
  if (a.slices() == 1) p.z = 0;
  if (a.layered() && p.z < 0) p.z = kSlices;
  const Place nearest{std::clamp(p.x, 0, kWidth - 1), std::clamp(p.y, 0, a.height() - 1),
                      std::clamp(p.z, 0, a.slices() - 1)};
  const bool inside = nearest.x == p.x && nearest.y == p.y && nearest.z == p.z;
  return inside || a.mode == "clamp" ? (nearest.z * a.height() + nearest.y) * kWidth + nearest.x : -1;
}

std::string register_list(const std::string& prefix, int count) {
  std::string text = "{";
  for (int k = 0; k < count; ++k) text += (k ? ", " : "") + prefix + std::to_string(k);
  return text + "}";
}

/// One lane for each place; those from @p first to @p last take part. What they read, or the image after they
/// wrote their number + 1 into every byte.
std::vector<unsigned char> run(const TextureAccess& a, const std::vector<unsigned char>& image, int first,
                               int last) {
  const bool store = a.instruction[1] == 'u' && a.instruction[2] == 's';
  const std::string bits = a.type == "b8" ? "b16" : a.type, value = register_list("%v", a.elements);
  const std::string at = a.shape == "1d"    ? "{%x}"
                         : a.shape == "2d"  ? "{%x, %y}"
                         : a.shape == "3d"  ? "{%x, %y, %z, %z}"
                         : a.shape == "a1d" ? "{%z, %x}"
                                            : "{%z, %x, %y, %y}";
  std::string body =
      "  .reg .pred %p;\n  .reg .b32 %lane, %x, %y, %z;\n  .reg .b64 %o, %i, %t;\n  .reg ." + bits +
      " %v<4>;\n"
      "  ld.param.u64 %o, [out];\n  ld.param.u64 %i, [in];\n  ld.param.u64 %t, [t];\n"
      "  mov.u32 %lane, %tid.x;\n  setp.lt.s32 %p, %lane, " +
      std::to_string(first) + ";\n  @%p exit;\n  setp.gt.s32 %p, %lane, " + std::to_string(last) +
      ";\n  @%p exit;\n  mad.wide.u32 %i, %lane, 16, %i;\n  mad.wide.u32 %o, %lane, 16, %o;\n"
      "  ld.global.b32 %x, [%i];\n  ld.global.b32 %y, [%i+4];\n  ld.global.b32 %z, [%i+8];\n";
  const int each = a.bytes() / a.elements;
  for (int k = 0; k < a.elements; ++k) {
    const std::string n = std::to_string(k), place = "[%o+" + std::to_string(k * each) + "]";
    if (store) body += "  ld.global." + a.type + " %v" + n + ", " + place + ";\n";
  }
  body += "  " + a.instruction +
          (store ? " [%t, " + at + "], " + value : " " + value + ", [%t, " + at + "]") + ";\n";
  for (int k = 0; k < a.elements; ++k) {
    const std::string n = std::to_string(k), place = "[%o+" + std::to_string(k * each) + "]";
    if (!store) body += "  st.global." + a.type + " " + place + ", %v" + n + ";\n";
  }
  Device device(kernel_text(".param .u64 out, .param .u64 in, .param .u64 t", body + "  ret;"));
  std::vector<int> coordinates;
  for (const Place& p : places())
    for (const int c : {p.x * a.bytes(), p.y, p.z, 0}) coordinates.push_back(c);
  std::vector<unsigned char> values(32 * 16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(i / 16 + 1);
  const auto texels = device.upload(image), in = device.upload(coordinates), out = device.upload(values);
  sim::memory::Texture t;
  t.surface = true;
  t.image.memory = device.space().find(texels);
  t.image.format = {sim::memory::Channel::unsigned_integer, a.elements, each * 8};
  t.image.width = kWidth;
  t.image.height = static_cast<std::uint32_t>(a.height());
  t.image.slices = static_cast<std::uint32_t>(a.slices());
  t.image.row_pitch = static_cast<std::uint64_t>(kWidth * a.bytes());
  t.image.slice_pitch = t.image.row_pitch * t.image.height;
  sim::memory::Textures textures;
  const auto handle = textures.add(t);
  device.shape.textures = &textures;
  device.shape.block = {32, 1, 1};
  device.run("k", out, in, handle);
  return store ? device.download<unsigned char>(texels, image.size())
               : device.download<unsigned char>(out, values.size());
}

std::vector<unsigned char> image_of(const TextureAccess& a) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(kWidth * a.height() * a.slices() * a.bytes()));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  return bytes;
}

bool reads_right(const TextureAccess& a) {
  const auto image = image_of(a), got = run(a, image, 0, a.mode == "trap" ? kInside - 1 : 31);
  const auto all = places();
  const auto size = static_cast<std::size_t>(a.bytes());
  for (std::size_t i = 0; i < (a.mode == "trap" ? kInside : 32); ++i) {
    const int texel = texel_of(a, all[i]);
    const std::vector<unsigned char> zeros(size);
    const unsigned char* want =
        texel < 0 ? zeros.data() : image.data() + static_cast<std::size_t>(texel) * size;
    if (!std::equal(want, want + size, got.begin() + static_cast<std::ptrdiff_t>(16 * i))) return false;
  }
  return true;
}

/// Lane by lane, since two places may be one texel.
bool writes_right(const TextureAccess& a) {
  const auto image = image_of(a);
  const auto all = places();
  const auto size = static_cast<std::size_t>(a.bytes());
  const std::vector<int> lanes =
      a.mode == "trap" ? std::vector<int>{0, 7, 21} : std::vector<int>{7, 22, 24, 26, 27, 30};
  for (const int lane : lanes) {
    std::vector<unsigned char> want = image;
    const int texel = texel_of(a, all[static_cast<std::size_t>(lane)]);
    if (texel >= 0)
      std::fill_n(want.begin() + static_cast<std::ptrdiff_t>(texel * a.bytes()), size,
                  static_cast<unsigned char>(lane + 1));
    if (run(a, image, lane, lane) != want) return false;
  }
  return true;
}

/// Every spelling of an instruction. @param caches  a pattern's group
int wrong_ones(const std::string& opcode, const std::string& caches, bool (*right)(const TextureAccess&)) {
  int wrong = 0;
  for (const std::string shape : {"1d", "2d", "3d", "a1d", "a2d"})
    for (const std::string type : {"b8", "b16", "b32", "b64"})
      for (const std::string& vector : expand(type == "b64" ? "{.v2}" : "{.v2,.v4}"))
        for (const std::string& cache : expand(caches))
          for (const std::string mode : {"trap", "clamp", "zero"}) {
            const TextureAccess a{opcode + "." + shape + cache + vector + "." + type + "." + mode, shape,
                                  type, mode, vector.empty() ? 1 : vector[2] - '0'};
            if (right(a)) continue;
            ++wrong;
            WARN(a.instruction);
          }
  return wrong;
}

}  // namespace

TEST_CASE("every suld reads the bytes of its texel, or what its boundary mode gives") {
  CHECK(wrong_ones("suld.b", "{.ca,.cg,.cs,.cv}", reads_right) == 0);
}

TEST_CASE("every sust writes the bytes of its texel, or what its boundary mode lets it") {
  CHECK(wrong_ones("sust.b", "{.wb,.cg,.cs,.wt}", writes_right) == 0);
}
