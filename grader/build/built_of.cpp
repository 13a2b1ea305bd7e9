#include "grader/build/built_of.h"

#include "grader/platform/files.h"
#include "grader/platform/sha256.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

std::string hash_if_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) ? sha256(read_file(file)) : std::string();
}

}  // namespace

BuiltOf::BuiltOf(const Project& project, const BuildRequest& request) {
  if (request.side != Side::student) return;
  for (const RungInfo* rung : request.rungs) {
    const fs::path source = source_of(*request.lesson, *rung, request.side);
    fs::path module = module_of(project, *request.lesson, *rung, request.side), stamp = module;
    const std::string hash = hash_if_there(source);
    stamp.replace_extension("built-of");
    std::error_code ignored;
    const bool known = fs::exists(stamp, ignored);
    if (known && read_file(stamp) == hash) continue;
    if (known) {
      fs::remove(module, ignored);
      fs::remove(module.replace_extension("check.ptx"), ignored);
    }
    write_file(stamp, "a build that did not end");
    entries_.push_back({rung->name, source, stamp, hash});
  }
}

void BuiltOf::done(const BuildResult& result) const {
  for (const Entry& entry : entries_)
    if (!result.refused.contains(entry.rung) && hash_if_there(entry.source) == entry.hash)
      write_file(entry.stamp, entry.hash);
}

}  // namespace ladder::cli
