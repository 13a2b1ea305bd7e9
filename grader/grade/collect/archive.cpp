#include "grader/grade/collect/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "grader/grade/collect/locate.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/read_plain.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

/// What an archive may come to.
struct Room {
  std::size_t files;
  std::uint64_t bytes;
  int seconds;  ///< of CPU time, and three times as long by the clock; for the list and for unpacking
};
constexpr Room kStudent = {kMostEntries, 64u << 20, 20};
constexpr Room kClass = {1'000'000, std::uint64_t{32} << 30, 600};
constexpr std::size_t kLongestListing = 128u << 20;  // bytes
constexpr std::uint64_t kMostPacked = 16;            // times the room, with all that is not unpacked

std::string lower_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// What is unpacked of a student's archive.
bool is_wanted(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".CU") || is_archive(path);
}

struct Listed {
  Tree::Entry entry;
  std::uint64_t bytes = 0;
};

/// An entry as `ladder-unpack --list` prints it: "f 12 a/name", with another letter for what is no file.
Listed listed(const std::string& line) {
  char* end = nullptr;
  const std::uint64_t bytes = line.size() < 2 ? 0 : std::strtoull(line.c_str() + 2, &end, 10);
  if (end == nullptr || *end != ' ') return {};
  return {{std::string(end + 1), line[0] == 'f'}, bytes};
}

bool leads_out(const std::string& path) {
  const std::vector<std::string> parts = components(path);
  return path.starts_with('/') || std::find(parts.begin(), parts.end(), "..") != parts.end();
}

/// An archive and the folder that it is unpacked into, with the cell that shows both.
class Workplace {
 public:
  Workplace(const Grading& grading, const fs::path& archive, const fs::path& folder, const Room& room)
      : grading_(grading), name_(archive.filename()), room_(room), folder_(folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(writable());
    if (const auto packed = fs::file_size(archive, error); packed > kMostPacked * room.bytes || error)
      refuse(fmt::format("is larger than {} MiB", kMostPacked * room.bytes >> 20));
    // A copy, since the cell's user may not be allowed to read the file itself.
    const fs::path copy = folder / "archive";
    fs::copy_file(archive, copy, error);
    if (error) refuse(error.message());
    fs::permissions(copy, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(writable(), fs::perms::all);  // of the cell's user; nobody else gets into the work folder
    cell_.file_mb = cell_.tmp_mb = static_cast<int>(room.bytes >> 20);
    cell_.memory_mb = 1024 + cell_.file_mb;
    cell_.cpu_seconds = room.seconds;
    const fs::path program = grading.project.binary("ladder-unpack");
    cell_.read_only = {{copy, grading.sandboxed ? fs::path("/in/archive") : copy}, {program, program}};
    cell_.writable = {{writable(), grading.sandboxed ? fs::path("/out") : writable()}};
  }
  /// What was unpacked.
  fs::path out() const { return writable() / "all"; }

  /// What the archive says that it holds. @throws Failure
  std::vector<Listed> list(bool (*counts)(const std::string&)) const {
    const Output listing = unpacker({"--list"}, {}, kLongestListing);
    if (!listing.ok) refuse("cannot be read as an archive (is it whole?)");
    std::vector<Listed> all;
    std::uint64_t bytes = 0;
    for (const std::string& line : lines_of(listing.text, '\0')) {
      Listed one = listed(line);
      const std::string& path = one.entry.path;
      if (path.empty()) continue;
      if (leads_out(path)) refuse(fmt::format("holds a file whose path leads out of it, {}", path));
      if (path.back() == '/') continue;
      if (all.size() == room_.files) refuse(fmt::format("holds more than {} files", room_.files));
      if (counts(path) && __builtin_add_overflow(bytes, one.bytes, &bytes)) bytes = UINT64_MAX;
      all.push_back(std::move(one));
    }
    if (bytes > room_.bytes)
      refuse(fmt::format("would unpack to {} MiB, and {} are the most", bytes >> 20, room_.bytes >> 20));
    return all;
  }

  /// Unpacks what has one of these endings, all of it or nothing; links are not kept.
  void unpack_some(const std::set<std::string>& endings) const {
    if (!unpack({"--whole"}, {endings.begin(), endings.end()}).ok) cannot_be_unpacked();
  }
  /// Unpacks all that can be: a file whose name is too long is no reason to refuse a class.
  /// @return how many files there are now
  std::size_t unpack_all() const {
    const Output done = unpack({}, {});
    const std::size_t files = std::strtoul(done.text.c_str(), nullptr, 10);
    if (!done.ok || files == 0) cannot_be_unpacked();
    return files;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Failure(ExitCode::environment, fmt::format("{} {}; nothing of it was taken", name_, why));
  }

 private:
  Output unpack(std::vector<std::string> options, const std::vector<std::string>& endings) const {
    for (const std::string& more : {std::string("--into"), (cell_.writable[0].inside / "all").string(),
                                    std::string("--most"), std::to_string(room_.bytes)})
      options.push_back(more);
    return unpacker(std::move(options), endings, 1000);
  }
  [[noreturn]] void cannot_be_unpacked() const {
    refuse(
        fmt::format("cannot be unpacked, or not within {} MiB and {} s", room_.bytes >> 20, room_.seconds));
  }

  fs::path writable() const { return folder_ / "out"; }

  /// Runs ladder-unpack in the cell. @param most  bytes of what it prints
  Output unpacker(const std::vector<std::string>& options, const std::vector<std::string>& endings,
                  std::size_t most) const {
    std::vector<std::string> words = {"timeout", "-k", "1", std::to_string(3 * room_.seconds)};
    const std::vector<std::string> program = {cell_.read_only[1].inside.string()};
    const std::vector<std::string> archive = {cell_.read_only[0].inside.string()};
    for (const auto& more : {enter(grading_, cell_), program, options, archive, endings})
      words.insert(words.end(), more.begin(), more.end());
    return output_of(std::move(words), most);
  }

  const Grading& grading_;
  std::string name_;
  Room room_;
  fs::path folder_;
  Cell cell_;
};

/// A new folder for one archive, which vanishes with it.
TemporaryFolder scratch_of(const Grading& grading) {
  fs::create_directories(grading.work / "unpack");
  return TemporaryFolder(grading.work / "unpack/");
}

class ArchiveTree final : public Tree {
 public:
  ArchiveTree(const Grading& grading, const fs::path& archive) : scratch_(scratch_of(grading)) {
    const Workplace place(grading, archive, scratch_.path(), kStudent);
    std::set<std::string> endings;
    for (Listed& one : place.list(is_wanted)) {
      if (is_wanted(one.entry.path) && is_too_long(one.entry.path))
        place.refuse("holds a file whose path is longer than file systems take");
      if (one.entry.regular && is_wanted(one.entry.path))
        endings.insert(fs::path(one.entry.path).extension().string());
      else
        entries_.push_back(std::move(one.entry));
    }
    if (endings.empty())
      fs::create_directories(place.out());
    else
      place.unpack_some(endings);
    unpacked_ = folder_tree(place.out());
    entries_.insert(entries_.end(), unpacked_->entries().begin(), unpacked_->entries().end());
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override { return unpacked_->read(entry); }
  fs::path file(const Entry& entry) const override { return unpacked_->file(entry); }
  std::vector<std::string> troubles() const override { return unpacked_->troubles(); }

 private:
  TemporaryFolder scratch_;
  std::unique_ptr<Tree> unpacked_;
  std::vector<Entry> entries_;
};

}  // namespace

bool is_archive(const fs::path& file) {
  const std::string name = lower_name(file);
  static constexpr const char* kEndings[] = {".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](const char* ending) { return name.ends_with(ending); });
}

std::unique_ptr<Tree> archive_tree(const Grading& grading, const fs::path& archive) {
  return std::make_unique<ArchiveTree>(grading, archive);
}

std::size_t unpack_class(const Grading& grading, const fs::path& archive, const fs::path& into) {
  const TemporaryFolder scratch = scratch_of(grading);
  const Workplace place(grading, archive, scratch.path(), kClass);
  std::set<std::string> files;
  for (const Listed& one : place.list([](const std::string&) { return true; }))
    if (one.entry.regular) files.insert(one.entry.path);
  const std::size_t unpacked = place.unpack_all();
  std::error_code ignored;
  fs::remove_all(into, ignored);
  fs::create_directories(into.parent_path());
  fs::rename(place.out(), into);
  return files.size() - std::min(files.size(), unpacked);
}

}  // namespace ladder::cli::grade
