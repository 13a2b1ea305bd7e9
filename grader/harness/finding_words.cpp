#include "grader/harness/finding_words.h"

#include <fmt/format.h>

namespace ladder {
namespace {

std::string text(const sim::Index3& i) { return fmt::format("({},{},{})", i[0], i[1], i[2]); }

}  // namespace

std::string finding_headline(const sim::Finding& f) {
  std::string headline = f.kind;
  if (!f.space.empty()) headline += " in " + f.space + " memory";
  if (f.line > 0) headline += fmt::format(" at {}:{}", f.file.substr(f.file.find_last_of('/') + 1), f.line);
  if (!f.kernel.empty()) headline += " (" + f.kernel + ")";
  return headline;
}

std::string finding_detail(const sim::Finding& f) {
  std::string detail = f.message;
  const bool host = f.line <= 0 || !f.host_frames.empty();  // calls of the host have no threads
  if (!host) detail += fmt::format("\nblock {}, thread {}", text(f.block), text(f.thread));
  if (!host && f.other)
    detail += fmt::format("; the other: {}{} by block {}, thread {}", f.other->access,
                          f.other->line > 0 ? fmt::format(" at line {}", f.other->line) : "",
                          text(f.other->block), text(f.other->thread));
  if (f.count > 1) detail += fmt::format("\nand {} more like it", f.count - 1);
  return detail;
}

std::string finding_cure(const sim::Finding& f) {
  return f.cure.empty() ? "" : "Usual cure: " + f.cure + (f.cure.ends_with('.') ? "" : ".");
}

}  // namespace ladder
