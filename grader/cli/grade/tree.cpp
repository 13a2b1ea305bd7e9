#include "grader/cli/grade/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "grader/cli/failure.h"
#include "grader/cli/grade/read_plain.h"
#include "grader/cli/grade/sandbox.h"
#include "grader/cli/grade/text.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSecondsToFetch = "300";     // a repository
constexpr const char* kMostFetched = "536870912";  // bytes of any file of it
constexpr const char* kMostMemory = "8589934592";  // bytes of address space of each of git's processes
constexpr int kSecondsToRead = 20;                 // one file of it, or the list
constexpr std::size_t kLongestListing = 8u << 20;  // bytes

[[noreturn]] void refuse_entries(const std::string& what) {
  throw Failure(ExitCode::environment,
                fmt::format("{} holds more than {} files; nothing of it was taken", what, kMostEntries));
}

class FolderTree final : public Tree {
 public:
  explicit FolderTree(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    // Without follow_directory_symlink: a link to / is one entry.
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
    if (error) throw Failure(ExitCode::environment, fmt::format("{}: {}", folder.string(), error.message()));
    for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (error) break;
      const fs::file_status status = at->symlink_status(error);
      if (fs::is_directory(status)) {
        if (at.depth() > 20 || is_machinery(at->path().filename())) at.disable_recursion_pending();
        continue;
      }
      if (entries_.size() == kMostEntries) refuse_entries(folder.filename().string());
      entries_.push_back(
          {at->path().lexically_relative(folder).generic_string(), fs::is_regular_file(status)});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    return read_plain(folder_, entry.path, kLongestSource);
  }
  fs::path file(const Entry& entry) const override { return folder_ / entry.path; }

 private:
  fs::path folder_;
  std::vector<Entry> entries_;
};

class FileTree final : public Tree {
 public:
  FileTree(const fs::path& file, const std::string& shown_as) : file_(file) {
    std::error_code error;
    entries_ = {{shown_as, fs::is_regular_file(fs::symlink_status(file, error))}};
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry&) const override {
    return read_plain(file_.parent_path(), file_.filename(), kLongestSource);
  }
  fs::path file(const Entry&) const override { return file_; }

 private:
  fs::path file_;
  std::vector<Entry> entries_;
};

class GitTree final : public Tree {
 public:
  GitTree(const Run& run, const std::string& remote, const fs::path& into) : run_(run), repository_(into) {
    std::error_code ignored;
    fs::remove_all(into, ignored);
    fs::create_directories(into.parent_path());
    // Outside of a cell: it needs the network, and the instructor's keys.
    const Output cloned = output_of(
        {"prlimit", std::string("--fsize=") + kMostFetched, std::string("--as=") + kMostMemory, "timeout",
         kSecondsToFetch, "git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null", "clone",
         "--quiet", "--bare", "--depth", "1", "--no-tags", "--", remote, into.string()},
        kLongestListing);
    if (!cloned.ok)
      throw Failure(ExitCode::environment, fmt::format("{} cannot be fetched: {}", without_secrets(remote),
                                                       cloned.text.substr(0, cloned.text.find('\n'))));
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(into))
      fs::permissions(entry,
                      fs::perms::owner_read | fs::perms::others_read |
                          (entry.is_directory() ? fs::perms::others_exec : fs::perms::none),
                      fs::perm_options::add);
    fs::permissions(into, fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
    const Output listing =
        output_of(git({"ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD"}), kLongestListing);
    // MODE TYPE OBJECT SIZE<tab>PATH, each ended by a zero byte.
    for (const std::string& line : lines_of(listing.text, '\0')) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos) continue;
      if (entries_.size() == kMostEntries) refuse_entries(without_secrets(remote));
      entries_.push_back({line.substr(tab + 1), line.starts_with("100")});
      sizes_[entries_.back().path] = std::strtoull(line.c_str() + line.rfind(' ', tab), nullptr, 10);
    }
    const Output head = output_of(git({"log", "-1", "--format=%H %cI"}), 200);
    if (head.ok) origin_ = head.text.substr(0, head.text.find('\n'));
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    const auto size = sizes_.find(entry.path);
    if (size == sizes_.end() || size->second > kLongestSource) return std::nullopt;
    Output contents = output_of(git({"cat-file", "blob", "HEAD:" + entry.path}), kLongestSource + 1);
    if (!contents.ok || contents.text.size() < size->second) return std::nullopt;
    contents.text.resize(size->second);  // without the end of line that a last line may lack
    return std::move(contents.text);
  }
  fs::path file(const Entry&) const override { return {}; }
  std::string origin() const override { return origin_; }

 private:
  std::vector<std::string> git(std::vector<std::string> more) const {
    Cell cell;
    cell.cpu_seconds = kSecondsToRead;
    cell.memory_mb = 1024;
    const fs::path inside = run_.sandboxed ? fs::path("/in/repository") : repository_;
    cell.read_only = {{repository_, inside}};
    std::vector<std::string> words = {"timeout", std::to_string(3 * kSecondsToRead)};
    for (const auto& part :
         {enter(run_, cell), std::vector<std::string>{"git", "-c", "safe.directory=*", "--git-dir", inside},
          more})
      words.insert(words.end(), part.begin(), part.end());
    return words;
  }
  const Run& run_;
  fs::path repository_;
  std::vector<Entry> entries_;
  std::map<std::string, std::uint64_t> sizes_;  ///< bytes, by path
  std::string origin_;
};

}  // namespace

bool is_machinery(const std::string& folder) {
  static constexpr const char* kNames[] = {"__MACOSX", "build", "CMakeFiles", "node_modules"};
  return folder.starts_with('.') ||
         std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) { return folder == name; });
}

std::unique_ptr<Tree> folder_tree(const fs::path& folder) { return std::make_unique<FolderTree>(folder); }

std::unique_ptr<Tree> file_tree(const fs::path& file, const std::string& shown_as) {
  return std::make_unique<FileTree>(file, shown_as);
}

std::unique_ptr<Tree> git_tree(const Run& run, const std::string& remote, const fs::path& into) {
  return std::make_unique<GitTree>(run, remote, into);
}

}  // namespace ladder::cli::grade
