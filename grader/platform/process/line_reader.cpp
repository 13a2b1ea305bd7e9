#include "grader/platform/process/line_reader.h"

#include <cerrno>
#include <utility>

namespace ladder::cli {

LineReader::LineReader(UniqueFd fd, LineSink sink, std::size_t longest)
    : fd_(std::move(fd)), sink_(std::move(sink)), longest_(longest) {
  do_not_block(fd_.get());
}

void LineReader::drain() {
  char chunk[65536];
  while (fd_) {
    const ssize_t n = ::read(fd_.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) fd_.reset();
    if (n > 0) take({chunk, static_cast<std::size_t>(n)});
  }
}

void LineReader::finish() {
  if (!rest_.empty()) emit();
}

void LineReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    rest_ += bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (end == std::string_view::npos && rest_.size() < longest_) return;
    emit();
  }
}

void LineReader::emit() {
  if (sink_) sink_(rest_);
  rest_.clear();
}

}  // namespace ladder::cli
