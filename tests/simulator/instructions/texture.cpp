// Texture and surface instructions on images made by hand; filtering is tested by programs/textures.cu.
#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>

#include "simulator/memory/texture.h"
#include "tests/simulator/engine/exec_support.h"

using namespace sim::test;
using sim::memory::AddressMode;
using sim::memory::Texture;

namespace {

/// A 4 x 3 x 2 image of floats whose texel (x, y, z) is x + 10 y + 100 z.
class Image {
 public:
  explicit Image(const std::string& body)
      : device_(kernel_text(".param .u64 out, .param .u64 t",
                            "  .reg .b64 %o, %t, %l<4>;\n  .reg .b32 %r<8>, %f<8>;\n  .reg .b16 %h<8>;\n"
                            "  .reg .pred %p;\n  ld.param.u64 %o, [out];\n  ld.param.u64 %t, [t];\n" +
                                body + "\n  ret;")) {
    std::vector<float> texels;
    for (int i = 0; i < 24; ++i) texels.push_back(float(i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12)));
    image_ = device_.upload(texels);
  }

  Texture texture(bool surface = false) {
    Texture t;
    t.image.memory = device_.space().find(image_);
    t.image.width = 4;
    t.image.height = 3;
    t.image.slices = 2;
    t.image.row_pitch = 16;
    t.image.slice_pitch = 48;
    t.sampler.address = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    t.surface = surface;
    return t;
  }

  /// Runs the kernel on one thread; the first four results.
  std::vector<float> run(const Texture& t) {
    const auto handle = textures_.add(t);
    device_.shape.textures = &textures_;
    const auto out = device_.upload(std::vector<float>(4));
    device_.run("k", out, handle);
    return device_.download<float>(out, 4);
  }
  std::vector<float> texels() { return device_.download<float>(image_, 24); }

 private:
  sim::memory::Textures textures_;
  Device device_;
  std::uint64_t image_ = 0;
};

float first(const std::string& instruction) {
  Image image(instruction + " st.global.b32 [%o], %f0;");
  return image.run(image.texture())[0];
}

// 2.5, 1.5 and 1.5 as f32, and 1 as a layer.
constexpr const char* kX = "0f40200000";
constexpr const char* kY = "0f3fc00000";

/// Texels 12 to 15 of an image: as a cube of 2 x 2, the fourth face.
constexpr float kFourthFace[] = {100, 101, 102, 103};

}  // namespace

TEST_CASE("tex reads lines, planes, volumes, layers, by coordinate and by index") {
  const std::string to = " {%f0, %f1, %f2, %f3}, [%t, {", x = kX, y = kY;
  CHECK(first("tex.1d.v4.f32.f32" + to + x + "}];") == 2);
  CHECK(first("tex.2d.v4.f32.f32" + to + x + ", " + y + "}];") == 12);
  CHECK(first("tex.3d.v4.f32.f32" + to + x + ", " + y + ", " + y + ", " + y + "}];") == 112);
  CHECK(first("tex.a1d.v4.f32.f32" + to + "1, " + x + "}];") == 102);
  CHECK(first("tex.a2d.v4.f32.f32" + to + "1, " + x + ", " + y + ", " + y + "}];") == 112);
  CHECK(first("tex.1d.v4.f32.s32" + to + "3}];") == 3);
  CHECK(first("tex.2d.v4.f32.s32" + to + "3, 2}];") == 23);
  CHECK(first("tex.1d.v4.f32.s32" + to + "-1}];") == 0);
}

TEST_CASE("levels of detail and gradients come to the only level there is") {
  const std::string to = " {%f0, %f1, %f2, %f3}, [%t, {", x = kX, y = kY;
  CHECK(first("tex.level.2d.v4.f32.f32" + to + x + ", " + y + "}], " + y + ";") == 12);
  CHECK(first("tex.grad.2d.v4.f32.f32" + to + x + ", " + y + "}], {" + y + ", " + y + "}, {" + y + ", " + y +
              "};") == 12);
}

TEST_CASE("every shape is read at a level, by gradients and into registers of any type") {
  const std::string x = kX, y = kY, one = "0f3f800000", zero = "0f00000000",
                    to = " {%f0, %f1, %f2, %f3}, [%t, {";
  const struct {
    const char* shape;
    std::string at, index, gradients;
    float value;
  } shapes[] = {
      {"1d", x, "2", y, 2},
      {"2d", x + ", " + y, "2, 1", y + ", " + y, 12},
      {"3d", x + ", " + y + ", " + y + ", " + y, "2, 1, 1, 1", y + ", " + y + ", " + y + ", " + y, 112},
      {"a1d", "1, " + x, "1, 2", y, 102},
      {"a2d", "1, " + x + ", " + y + ", " + y, "1, 2, 1, 1", y + ", " + y, 112}};
  for (const std::string type : {".v4.f32", ".v4.s32", ".v4.u32"}) {
    for (const auto& s : shapes) {
      const std::string shape = s.shape + type;
      INFO(shape);
      CHECK(first("tex." + shape + ".f32" + to + s.at + "}];") == s.value);
      CHECK(first("tex." + shape + ".s32" + to + s.index + "}];") == s.value);
      CHECK(first("tex.level." + shape + ".f32" + to + s.at + "}], " + y + ";") == s.value);
      CHECK(first("tex.grad." + shape + ".f32" + to + s.at + "}], {" + s.gradients + "}, {" + s.gradients +
                  "};") == s.value);
    }
    for (const std::string shape : {"cube", "acube"}) {  // the face that looks along -y is the fourth
      const std::string at = (shape == "cube" ? "" : "0, ") + zero + ", 0fbf800000, " + zero +
                             (shape == "cube" ? ", " + zero : "") + "}]";
      for (const std::string& read : {"tex." + shape + type + ".f32" + to + at + ";",
                                      "tex.level." + shape + type + ".f32" + to + at + ", " + one + ";"}) {
        INFO(read);
        Image image(read + " st.global.b32 [%o], %f0;");
        Texture t = image.texture();
        t.image.width = t.image.height = 2;
        t.image.slices = 6;
        t.image.row_pitch = 8;
        t.image.slice_pitch = 16;
        const float value = image.run(t)[0];
        CHECK(std::find(std::begin(kFourthFace), std::end(kFourthFace), value) != std::end(kFourthFace));
      }
    }
    for (const std::string channel : {"r", "g", "b", "a"}) {
      Image image("tld4." + channel + ".2d" + type + ".f32 {%f0, %f1, %f2, %f3}, [%t, {" + x + ", " + y +
                  "}]; st.global.b32 [%o], %f0;");
      CHECK(image.run(image.texture())[0] == (channel == "r" ? 22 : 0));
    }
  }
}

TEST_CASE("tld4 gathers one channel of four texels, and a predicate says that they are there") {
  Image image(std::string("tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p, [%t, {") + kX + ", " + kY +
              "}]; st.global.v4.b32 [%o], {%f0, %f1, %f2, %f3}; @!%p st.global.b32 [%o], 0;");
  CHECK(image.run(image.texture()) == std::vector<float>{22, 23, 13, 12});
}

TEST_CASE("sust and suld move elements of every size") {
  for (const char* type : {"b8", "b16", "b32", "b64"}) {
    const std::string t = type,
                      reg = t == "b64"   ? "%l"
                            : t == "b32" ? "%r"
                                         : "%h",
                      set = t == "b8" ? "b16" : t;
    Image image("mov." + set + " " + reg + "0, 65; sust.b.2d." + t + ".trap [%t, {8, 1}], {" + reg +
                "0}; suld.b.2d." + t + ".trap {" + reg + "1}, [%t, {8, 1}]; st.global." + set + " [%o], " +
                reg + "1;");
    const auto out = image.run(image.texture(true));
    CHECK((std::bit_cast<std::uint32_t>(out[0]) & 0xFFFF) == 65);
    CHECK((std::bit_cast<std::uint32_t>(image.texels()[6]) & 0xFF) == 65);
  }
}

TEST_CASE("outside a surface, accesses trap, clamp or read zero") {
  Image zero("suld.b.2d.b32.zero {%r0}, [%t, {-4, 0}]; st.global.b32 [%o], %r0;");
  CHECK(zero.run(zero.texture(true))[0] == 0);
  Image clamp("suld.b.a2d.b32.clamp {%r0}, [%t, {1, 400, 100, 100}]; st.global.b32 [%o], %r0;");
  CHECK(clamp.run(clamp.texture(true))[0] == 123);
  Image trap("suld.b.3d.b32.trap {%r0}, [%t, {0, 3, 0, 0}]; st.global.b32 [%o], %r0;");
  CHECK_THROWS_AS(trap.run(trap.texture(true)), sim::exec::Fault);
}

TEST_CASE("a texture that is none, or no longer is, is told") {
  Image image(std::string("tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {") + kX +
              "}]; st.global.b32 [%o], %f0;");
  Texture gone = image.texture();
  gone.destroyed = true;
  CHECK_THROWS_AS(image.run(gone), sim::exec::Fault);
  CHECK_THROWS_AS(image.run(image.texture(true)), sim::exec::Fault);
}
