// Shows what a rung does to a real picture: reads a colour picture (PPM, P6) and writes gray.pgm.
//
//     ./ladder sim lessons/03_rgb_to_gray/picture.cu -- photo.ppm      without a GPU
//     nvcc lessons/03_rgb_to_gray/picture.cu -o picture && ./picture photo.ppm
//
// Without a name it draws a picture of its own and writes it to colour.ppm first.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../common/cuda_check.h"
#include "2_one_pixel.cu"  // the rung to look at: yours, so change it as you climb

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  // 3 a pixel in colour, 1 in gray
};

/// The next number of a PPM's head; `#` begins a comment that ends with its line.
static int head_number(std::istream& file) {
  while (file >> std::ws && file.peek() == '#')
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  int number = 0;
  if (!(file >> number) || number <= 0)
    throw std::runtime_error("a width, height or largest value is missing");
  return number;
}

/// @throws std::runtime_error unless @p name is a binary PPM with 8 bits a colour
static Picture read_ppm(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("can't open " + name);
  char magic[2] = {};
  file.read(magic, 2);
  if (magic[0] != 'P' || magic[1] != '6')
    throw std::runtime_error(name + " is no binary PPM; `convert photo.jpg photo.ppm` makes one");
  Picture picture;
  picture.width = head_number(file);
  picture.height = head_number(file);
  if (head_number(file) != 255) throw std::runtime_error(name + " has not 8 bits a colour");
  file.get();  // one white space ends the head
  picture.bytes.resize(static_cast<std::size_t>(picture.width) * picture.height * 3);
  if (!file.read(reinterpret_cast<char*>(picture.bytes.data()), picture.bytes.size()))
    throw std::runtime_error(name + " ends before its last pixel");
  return picture;
}

/// @param kind  "P6" for colour, "P5" for gray
static void write(const std::string& name, const char* kind, const Picture& picture) {
  std::ofstream file(name, std::ios::binary);
  file << kind << '\n' << picture.width << ' ' << picture.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(picture.bytes.data()), picture.bytes.size());
  if (!file) throw std::runtime_error("can't write " + name);
  std::printf("%s: %d x %d\n", name.c_str(), picture.width, picture.height);
}

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
  write("colour.ppm", "P6", picture);
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
  write("gray.pgm", "P5", gray);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
