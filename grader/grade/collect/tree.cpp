#include "grader/grade/collect/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <sstream>

#include "grader/grade/collect/remotes.h"
#include "grader/grade/sandbox/sandbox.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/read_plain.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSecondsOfGit = "300";        // a repository
constexpr const char* kMostFetched = "536870912";   // bytes of any file of it
constexpr const char* kMemoryOfGit = "8589934592";  // bytes of address space of each of git's processes
constexpr int kSecondsToReadFile = 20;              // one file of it, or the list
constexpr std::size_t kLongestTree = 8u << 20;      // bytes

[[noreturn]] void refuse_entries(const std::string& what) {
  throw Failure(
      ExitCode::environment,
      fmt::format("{} holds more than {} files, or folders; nothing of it was taken", what, kMostEntries));
}

class FolderTree final : public Tree {
 public:
  explicit FolderTree(const fs::path& folder) : folder_(folder) {
    // Paths that wait, and not folders that are open: however deep it goes, one descriptor is enough. They
    // come in an order of their own, which no file system chooses.
    std::deque<std::string> waiting = {""};
    std::size_t folders = 0;
    for (; !waiting.empty(); waiting.pop_front()) {
      const std::string& path = waiting.front();
      const std::optional<std::vector<Name>> names = list_plain(folder, path, kMostEntries);
      if (!names && path.empty())
        throw Failure(ExitCode::environment, fmt::format("{}: {}", folder.string(), std::strerror(errno)));
      if (!names) {
        troubles_.push_back(fmt::format("{} cannot be looked into: {}", path, std::strerror(errno)));
        continue;
      }
      const bool deepest = std::count(path.begin(), path.end(), '/') == kDeepestFolder;
      for (const Name& one : *names) {
        const std::string below = path.empty() ? one.name : path + "/" + one.name;
        if (one.kind != Name::Kind::folder) {
          if (entries_.size() == kMostEntries) refuse_entries(folder.filename().string());
          entries_.push_back({below, one.kind == Name::Kind::file});
        } else if (!is_machinery(one.name)) {
          if (++folders > kMostEntries) refuse_entries(folder.filename().string());
          if (deepest)
            troubles_.push_back(below + " lies too deep to be looked into");
          else
            waiting.push_back(below);
        }
      }
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    return read_plain(folder_, entry.path, kLongestSource);
  }
  fs::path file(const Entry& entry) const override { return folder_ / entry.path; }
  std::vector<std::string> troubles() const override { return troubles_; }

 private:
  fs::path folder_;
  std::vector<Entry> entries_;
  std::vector<std::string> troubles_;
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

/// git's words where it fetches: nobody is asked for anything, nothing but the allowed protocols is spoken,
/// whatever a redirection or the user's settings say, and nothing of a repository runs.
std::vector<std::string> words_to_fetch(const std::string& remote, const fs::path& into) {
  std::vector<std::string> words = {"env"};
  for (const char* traced :
       {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_TRACE", "GIT_TRACE_CURL", "GIT_CURL_VERBOSE"})
    words.insert(words.end(), {"-u", traced});
  words.insert(words.end(),
               {"GIT_ALLOW_PROTOCOL=https:ssh:file", "GIT_NO_LAZY_FETCH=1", "SSH_ASKPASS=/bin/false",
                "SSH_ASKPASS_REQUIRE=force", "prlimit", std::string("--fsize=") + kMostFetched,
                std::string("--as=") + kMemoryOfGit, "timeout", "-k", "5", kSecondsOfGit, "git"});
  words.insert(words.end(), {"-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--bare", "--no-local",
                             "--depth", "1", "--no-tags", "--template=", "--", remote, into.string()});
  return words;
}

class GitTree final : public Tree {
 public:
  GitTree(const Grading& grading, const std::string& remote, const fs::path& into)
      : grading_(grading), repository_(into) {
    if (const std::string why = why_not_fetched(remote); !why.empty())
      throw Failure(ExitCode::environment,
                    fmt::format("{} is not fetched: {}", without_secrets(remote), why));
    remove_wholly(into);
    fs::create_directories(into.parent_path());
    // Outside of a cell: it needs the network, and the instructor's keys.
    const Output cloned = output_of(words_to_fetch(remote, into), kLongestTree);
    if (!cloned.ok)
      throw Failure(ExitCode::environment,
                    scrubbed(fmt::format("{} cannot be fetched: {}", without_secrets(remote),
                                         cloned.text.substr(0, cloned.text.find('\n'))),
                             remote));
    // It names the remote, with its token, and is read in the cell.
    output_of({"git", "config", "--file", into / "config", "--remove-section", "remote.origin"}, 200);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(into))
      fs::permissions(entry,
                      fs::perms::owner_read | fs::perms::others_read |
                          (entry.is_directory() ? fs::perms::others_exec : fs::perms::none),
                      fs::perm_options::add);
    fs::permissions(into, fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
    const Output listing = output_of(git({"ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD"}), kLongestTree);
    if (!listing.ok || listing.text.size() > kLongestTree)
      throw Failure(ExitCode::environment,
                    fmt::format("{} has no commit that can be listed", without_secrets(remote)));
    // MODE TYPE OBJECT SIZE<tab>PATH, each ended by a zero byte.
    for (const std::string& line : lines_of(listing.text, '\0')) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos) continue;
      if (entries_.size() == kMostEntries) refuse_entries(without_secrets(remote));
      entries_.push_back({line.substr(tab + 1), line.starts_with("100")});
      std::istringstream words(line.substr(0, tab));
      std::string mode, type;
      Blob& blob = blobs_[entries_.back().path];
      words >> mode >> type >> blob.object >> blob.size;
    }
    const Output head = output_of(git({"log", "-1", "--format=%H %cI"}), 200);
    if (head.ok) origin_ = head.text.substr(0, head.text.find('\n'));
  }
  ~GitTree() override { remove_wholly(repository_); }
  GitTree(const GitTree&) = delete;
  GitTree& operator=(const GitTree&) = delete;
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    const auto blob = blobs_.find(entry.path);
    if (blob == blobs_.end() || blob->second.size > kLongestSource) return std::nullopt;
    Output contents = output_of(git({"cat-file", "blob", blob->second.object}), kLongestSource + 1);
    if (!contents.ok || contents.text.size() < blob->second.size) return std::nullopt;
    contents.text.resize(blob->second.size);  // without the end of line that a last line may lack
    return std::move(contents.text);
  }
  fs::path file(const Entry&) const override { return {}; }
  std::string origin() const override { return origin_; }

 private:
  std::vector<std::string> git(std::vector<std::string> more) const {
    Cell cell;
    cell.cpu_seconds = kSecondsToReadFile;
    cell.memory_mb = 1024;
    const fs::path inside = grading_.sandboxed ? fs::path("/in/repository") : repository_;
    cell.read_only = {{repository_, inside}};
    std::vector<std::string> words = {"timeout", std::to_string(3 * kSecondsToReadFile)};
    for (const auto& part :
         {enter(grading_, cell),
          std::vector<std::string>{"git", "-c", "safe.directory=*", "--git-dir", inside}, more})
      words.insert(words.end(), part.begin(), part.end());
    return words;
  }
  struct Blob {
    std::string object;
    std::uint64_t size = 0;  ///< bytes
  };
  const Grading& grading_;
  fs::path repository_;
  std::vector<Entry> entries_;
  std::map<std::string, Blob> blobs_;  ///< by path
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

std::unique_ptr<Tree> git_tree(const Grading& grading, const std::string& remote, const fs::path& into) {
  return std::make_unique<GitTree>(grading, remote, into);
}

}  // namespace ladder::cli::grade
