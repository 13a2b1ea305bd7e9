#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "grader/build/compiler_output.h"

namespace ladder::cli {

bool tells_of_trouble(const std::vector<std::string>& lines) {
  // Errors of system calls that no file's contents lead to. A compiler that cannot open a header for want of
  // memory says so at the line that includes it.
  static constexpr std::array kTroubles = {EAGAIN, ENOMEM, ENOSPC, EDQUOT, EMFILE,
                                           ENFILE, EIO,    ESTALE, ETXTBSY};
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return std::any_of(kTroubles.begin(), kTroubles.end(),
                       [&](int error) { return line.find(std::strerror(error)) != std::string::npos; });
  });
}

}  // namespace ladder::cli
