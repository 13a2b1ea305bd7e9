// A whole program around a rung: reads a colour picture (PPM), makes it gray on a GPU, writes gray.pgm.
//
//     nvcc lessons/03_rgb_to_gray/program/picture.cu -o picture && ./picture photo.ppm
//
// Without a name it draws a picture of its own and writes it to colour.ppm first.
#include <cmath>
#include <cstdio>

#include "../../../common/cuda_check.h"
#include "../2_one_pixel.cu"  // the rung to look at: yours, so change it as you climb
#include "../ppm.h"

/// Rings whose colours turn around the centre: red, green and blue of equal strength, unlike to the eye.
static Picture draw() {
  Picture picture{641, 479, {}};  // odd, so that the rungs' last pixels show, too
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const double dx = x - picture.width / 2, dy = y - picture.height / 2;
      const double ring = 0.6 + 0.4 * std::cos(std::hypot(dx, dy) / 12), angle = std::atan2(dy, dx);
      for (const double turn : {0.0, 2.0944, 4.1888})  // thirds of a circle
        picture.bytes.push_back(static_cast<std::uint8_t>(255 * ring * (0.5 + 0.5 * std::cos(angle - turn))));
    }
  }
  write_picture("colour.ppm", picture);
  return picture;
}

int main(int argc, char** argv) try {
  const Picture colour = argc > 1 ? read_ppm(argv[1]) : draw();
  Picture gray{colour.width, colour.height, std::vector<std::uint8_t>(colour.bytes.size() / 3)};
  std::uint8_t *d_colour = nullptr, *d_gray = nullptr;
  CUDA_CHECK(cudaMalloc(&d_colour, colour.bytes.size()));
  CUDA_CHECK(cudaMalloc(&d_gray, gray.bytes.size()));
  CUDA_CHECK(cudaMemcpy(d_colour, colour.bytes.data(), colour.bytes.size(), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_gray, 0, gray.bytes.size()));  // what the rung leaves out stays black
  CUDA_CHECK(rgb_to_gray(d_gray, d_colour, colour.width, colour.height));
  CUDA_CHECK(cudaMemcpy(gray.bytes.data(), d_gray, gray.bytes.size(), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_colour));
  CUDA_CHECK(cudaFree(d_gray));
  write_picture("gray.pgm", gray);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
