// nvcc -arch=sm_90 -o sampling *.cu && ./sampling > h200.txt
#include "sampling.h"

void print(const std::string& name, const std::vector<float4>& values, int channels) {
  std::printf("%s:", name.c_str());
  for (const float4& v : values) {
    const float all[] = {v.x, v.y, v.z, v.w};
    for (int c = 0; c < channels; ++c) std::printf(" %.7g", all[c]);
  }
  std::printf("\n");
}

/// All kinds, or the one whose first letter is given.
int main(int argc, char** argv) {
  const struct {
    char letter;
    void (*run)();
  } kinds[] = {{'a', sample_addresses},
               {'f', sample_formats},
               {'s', sample_shapes},
               {'m', sample_mipmaps},
               {'w', sample_surfaces}};
  for (const auto& kind : kinds)
    if (argc < 2 || argv[1][0] == kind.letter) kind.run();
}
