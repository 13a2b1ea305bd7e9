// Pictures from and to files: PPM in (colour), PPM and PGM (gray) out. Given; for the host.
#pragma once

#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  ///< 3 a pixel in colour, 1 in gray, row by row
};

/// The next number of a PPM's head; `#` begins a comment that ends with its line.
inline int ppm_number(std::istream& file) {
  while (file >> std::ws && file.peek() == '#')
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  int number = 0;
  if (!(file >> number) || number <= 0 || number > 65'535)
    throw std::runtime_error("the picture's width, height or largest value is missing or out of range");
  return number;
}

/// @throws std::runtime_error unless @p name is a binary PPM (P6) with 8 bits a colour
inline Picture read_ppm(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("can't open " + name);
  char magic[2] = {};
  file.read(magic, 2);
  if (magic[0] != 'P' || magic[1] != '6')
    throw std::runtime_error(name + " is no binary PPM; `convert photo.jpg photo.ppm` makes one");
  Picture picture;
  picture.width = ppm_number(file);
  picture.height = ppm_number(file);
  if (ppm_number(file) != 255) throw std::runtime_error(name + " has not 8 bits a colour");
  file.get();  // one white space ends the head
  picture.bytes.resize(static_cast<std::size_t>(picture.width) * picture.height * 3);
  if (!file.read(reinterpret_cast<char*>(picture.bytes.data()),
                 static_cast<std::streamsize>(picture.bytes.size())))
    throw std::runtime_error(name + " ends before its last pixel");
  return picture;
}

/// Writes a PPM (colour) or PGM (gray), whichever the number of bytes says.
/// @throws std::runtime_error when the file can't be written
inline void write_picture(const std::string& name, const Picture& picture) {
  const std::size_t pixels = static_cast<std::size_t>(picture.width) * picture.height;
  std::ofstream file(name, std::ios::binary);
  file << (picture.bytes.size() == pixels ? "P5" : "P6") << '\n';
  file << picture.width << ' ' << picture.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(picture.bytes.data()),
             static_cast<std::streamsize>(picture.bytes.size()));
  if (!file) throw std::runtime_error("can't write " + name);
}
