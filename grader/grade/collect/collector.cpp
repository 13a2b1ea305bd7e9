#include "grader/grade/collect/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "grader/grade/collect/archive.h"
#include "grader/grade/collect/locate.h"
#include "grader/platform/failure.h"
#include "grader/platform/sha256.h"
#include "grader/platform/text.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr int kMostArchives = 10;   // of one student
constexpr int kDeepestArchive = 3;  // archives in archives
constexpr int kMostComplaints = 5;  // told of one student in words; the rest is counted

/// Where the tree holds whole copies of the course: their roots, with a slash at the end.
std::vector<std::string> clone_roots(const Tree& tree) {
  static constexpr std::string_view kMark = "lessons/CMakeLists.txt";
  std::vector<std::string> roots;
  for (const Tree::Entry& entry : tree.entries())
    if (entry.path == kMark || entry.path.ends_with("/" + std::string(kMark)))
      roots.push_back(entry.path.substr(0, entry.path.size() - kMark.size()));
  return roots;
}

/// Whether it lies in a folder of machinery, or is a Mac's "._" companion of a file.
bool is_hidden(const std::string& path) {
  const std::vector<std::string> parts = components(path);
  return parts.empty() || parts.back().starts_with("._") ||
         std::any_of(parts.begin(), parts.end() - 1, [](const auto& p) { return is_machinery(p); });
}

/// The number that a platform gave to an upload of the same name; 0 for the first.
long newness(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t digits = path.find_last_not_of("0123456789", dot - 1);
  if (digits == std::string::npos || path[digits] != '-' || digits + 1 == dot || dot - digits > 8) return 0;
  return std::stol(path.substr(digits + 1, dot - digits - 1));
}

}  // namespace

void Collector::add(const Tree& tree) {
  if (!tree.origin().empty()) submission_.origin = tree.origin();
  for (const std::string& trouble : tree.troubles()) complain(trouble);
  const std::vector<std::string> clones = clone_roots(tree);
  for (const Tree::Entry& entry : tree.entries()) {
    // Of a copy of the course only the rungs in lessons/ are the student's; its solutions are ours.
    const bool ours = std::any_of(clones.begin(), clones.end(), [&](const std::string& root) {
      return entry.path.starts_with(root) && !entry.path.starts_with(root + "lessons/");
    });
    if (ours || is_hidden(entry.path) || entry.path.find("/baselines/") != std::string::npos)
      ++submission_.others;
    else
      take(tree, entry);
  }
}

void Collector::add_with_archives(const Tree& tree, int depth) {
  add(tree);
  for (const Tree::Entry& entry : tree.entries()) {
    if (!entry.regular || !is_archive(entry.path) || is_hidden(entry.path) || tree.file(entry).empty())
      continue;
    if (depth == kDeepestArchive || archives_ == kMostArchives) {
      complain(fmt::format("{} was not looked into: archives in archives, or too many", entry.path));
      continue;
    }
    ++archives_;
    try {
      add_with_archives(*archive_tree(grading_, tree.file(entry)), depth + 1);
    } catch (const Failure& failure) {
      if (failure.code() == ExitCode::interrupted) throw;
      complain(failure.what());
    }
  }
}

void Collector::complain(const std::string& what) {
  if (++complaints_ > kMostComplaints) return;
  submission_.problem += (submission_.problem.empty() ? "" : "; ") + shortened(what, kLongestShown);
}

void Collector::finish() {
  if (complaints_ > kMostComplaints)
    submission_.problem += fmt::format("; and {} more such", complaints_ - kMostComplaints);
  std::sort(submission_.files.begin(), submission_.files.end(), [](const RungFile& a, const RungFile& b) {
    return a.lesson != b.lesson ? a.lesson->number < b.lesson->number : a.rung < b.rung;
  });
}

void Collector::take(const Tree& tree, const Tree::Entry& entry) {
  Located at = locate(course_, entry.path);
  if (at.rung == nullptr) {
    if (at.why.empty() || is_the_courses(entry.path))
      ++submission_.others;
    else
      ignore(entry.path, at.why);
    return;
  }
  if (!entry.regular) return ignore(entry.path, "not a regular file (a link, perhaps)");
  std::optional<std::string> contents = tree.read(entry);
  if (!contents) return ignore(entry.path, "cannot be read, or is longer than 1 MiB");
  if (contents->starts_with("\xFF\xFE") || contents->starts_with("\xFE\xFF"))
    return ignore(entry.path, "is UTF-16 text: it has to be saved as UTF-8");
  if (!is_text(*contents)) return ignore(entry.path, "is no UTF-8 text");
  if ((bytes_ += contents->size()) > kMostSources)
    return ignore(entry.path, "all rungs together are longer than 16 MiB");
  RungFile file{at.lesson, at.rung, entry.path, std::move(*contents), {}};
  file.hash = sha256(file.contents);
  const auto other = std::find_if(submission_.files.begin(), submission_.files.end(),
                                  [&](const RungFile& f) { return f.rung == file.rung; });
  if (other == submission_.files.end())
    submission_.files.push_back(std::move(file));
  else
    choose(*other, std::move(file));
}

void Collector::choose(RungFile& taken, RungFile&& other) {
  const auto rank = [](const std::string& path) {
    return std::pair(components(path).size(), -newness(path));
  };
  // A later upload ("1_serial-2.cu") wins over the earlier ones, else the file that lies less deep.
  if (rank(other.path) < rank(taken.path)) std::swap(taken, other);
  ignore(other.path, fmt::format("{} was taken for this rung", shortened(taken.path, kLongestShown)));
}

bool Collector::is_the_courses(const std::string& path) const {
  if (is_too_long(path)) return false;
  const std::vector<std::string> parts = components(path);
  for (const LessonInfo& lesson : course_.lessons) {
    const auto at = std::find(parts.begin(), parts.end(), lesson.name);
    fs::path file = lesson.folder;
    if (at == parts.end()) continue;
    for (auto part = at + 1; part != parts.end(); ++part) file /= *part;
    std::error_code error;
    return fs::exists(file, error);
  }
  return false;
}

void Collector::ignore(const std::string& path, const std::string& why) {
  ++submission_.others;
  if (submission_.ignored.size() < kMostIgnored)
    submission_.ignored.push_back({shortened(path, kLongestShown), why});
}

}  // namespace ladder::cli::grade
