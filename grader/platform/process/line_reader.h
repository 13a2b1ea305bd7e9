// A stream of bytes, cut into lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "grader/platform/process/unique_fd.h"

namespace ladder::cli {

inline constexpr std::size_t kLongestLine =
    1u << 20;  ///< bytes; what is printed without a line end comes in pieces

/// Receives whole lines, without their newline, as they come. A printed line of kLongestLine or more comes in
/// pieces of at least that.
using LineSink = std::function<void(std::string_view line)>;

/// Reads what has come through a pipe, without waiting for more.
class LineReader {
 public:
  /// @param fd       to read from and close in the end
  /// @param sink     may be empty
  /// @param longest  bytes of a line, beyond which it comes in pieces
  LineReader(UniqueFd fd, LineSink sink, std::size_t longest = kLongestLine);

  /// For poll(2); -1 once its end was read.
  int fd() const { return fd_.get(); }
  /// Hands on the lines that are there now.
  void drain();
  /// Hands on a last line that has no newline.
  void finish();

 private:
  void take(std::string_view bytes);
  void emit();

  UniqueFd fd_;
  LineSink sink_;
  std::size_t longest_;
  std::string rest_;
};

}  // namespace ladder::cli
