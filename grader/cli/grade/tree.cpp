#include "grader/cli/grade/tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "grader/cli/failure.h"
#include "grader/cli/process.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSecondsToRead = "60";    // of an archive
constexpr const char* kSecondsToFetch = "300";  // of a repository

/// Reads a regular file through no link. O_NONBLOCK: a pipe is not waited for.
std::optional<std::string> read_plain(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat facts {};
  std::optional<std::string> text;
  if (::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<std::size_t>(facts.st_size) <= kLongestSource) {
    text.emplace(kLongestSource + 1, '\0');
    std::size_t have = 0;
    ssize_t n = 0;
    while (have < text->size() && (n = ::read(fd, text->data() + have, text->size() - have)) > 0)
      have += static_cast<std::size_t>(n);
    text->resize(have);
    if (n < 0 || have > kLongestSource) text.reset();
  }
  ::close(fd);
  return text;
}

class FolderTree final : public Tree {
 public:
  explicit FolderTree(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    // Without follow_directory_symlink: a link to / is one entry.
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
    if (error) throw Failure(ExitCode::environment, fmt::format("{}: {}", folder.string(), error.message()));
    for (; at != fs::recursive_directory_iterator() && entries_.size() < kMostEntries; at.increment(error)) {
      if (error) break;
      const fs::file_status status = at->symlink_status(error);
      if (fs::is_directory(status)) {
        if (at.depth() > 20 || at->path().filename() == ".git") at.disable_recursion_pending();
        continue;
      }
      entries_.push_back(
          {at->path().lexically_relative(folder).generic_string(), fs::is_regular_file(status)});
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    return read_plain(folder_ / entry.path);
  }

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
  std::optional<std::string> read(const Entry&) const override { return read_plain(file_); }

 private:
  fs::path file_;
  std::vector<Entry> entries_;
};

/// A program's output as it is, at most @p most bytes and one line end more.
struct Output {
  bool ok = false;
  std::string text;
};
Output output_of(std::vector<std::string> argv, std::size_t most) {
  Output output;
  const ExitStatus status = run_process({std::move(argv),
                                         {{"LC_ALL", "C.UTF-8"},
                                          {"GIT_TERMINAL_PROMPT", "0"},
                                          {"GIT_CONFIG_NOSYSTEM", "1"},
                                          {"GIT_LFS_SKIP_SMUDGE", "1"}}},
                                        [&](std::string_view line) {
                                          if (output.text.size() > most) return;
                                          output.text.append(line).push_back('\n');
                                        });
  output.ok = status.ok();
  return output;
}

std::vector<std::string> lines_of(const std::string& text, char end) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t at; (at = text.find(end, begin)) != std::string::npos; begin = at + 1)
    lines.push_back(text.substr(begin, at - begin));
  return lines;
}

constexpr std::size_t kLongestListing = 8u << 20;

bool is_zip(const fs::path& file) { return file.extension() == ".zip" || file.extension() == ".ZIP"; }

class ArchiveTree final : public Tree {
 public:
  explicit ArchiveTree(const fs::path& archive) : archive_(fs::absolute(archive)) {
    const std::vector<std::string> list =
        is_zip(archive) ? std::vector<std::string>{"timeout", kSecondsToRead, "unzip", "-Z1", archive_}
                        : std::vector<std::string>{"timeout", kSecondsToRead, "tar", "-tvaf", archive_};
    const Output listing = output_of(list, kLongestListing);
    if (!listing.ok)
      throw Failure(
          ExitCode::environment, fmt::format("{} cannot be read as an archive", archive.string()),
          is_zip(archive) ? "Is it whole, and is unzip installed (apt install unzip)?" : "Is it whole?");
    for (const std::string& line : lines_of(listing.text, '\n')) {
      const Entry entry = is_zip(archive) ? Entry{line, true} : listed_by_tar(line);
      if (!entry.path.empty() && entry.path.back() != '/' && entries_.size() < kMostEntries)
        entries_.push_back(entry);
    }
  }
  const std::vector<Entry>& entries() const override { return entries_; }

  /// Of a link, a .zip gives the text of its target: nothing is followed.
  std::optional<std::string> read(const Entry& entry) const override {
    Output contents =
        is_zip(archive_)
            ? output_of({"timeout", kSecondsToRead, "unzip", "-p", archive_, literally(entry.path)},
                        kLongestSource)
            : output_of({"timeout", kSecondsToRead, "tar", "-xaOf", archive_, "--", entry.path},
                        kLongestSource);
    if (!contents.ok || contents.text.size() > kLongestSource) return std::nullopt;
    return std::move(contents.text);
  }

 private:
  /// "-rw-r--r-- owner/group 12 2026-11-21 07:00 a name", or with an l and " -> target" for a link.
  static Entry listed_by_tar(const std::string& line) {
    std::size_t at = 0;
    for (int field = 0; field < 5; ++field) {
      at = line.find_first_not_of(' ', line.find(' ', at));
      if (at == std::string::npos) return {};
    }
    const bool regular = line[0] == '-';
    return {line.substr(at, regular ? std::string::npos : line.find(" -> ", at) - at), regular};
  }
  /// unzip takes names for patterns.
  static std::string literally(const std::string& name) {
    std::string escaped;
    for (const char c : name) {
      if (c == '*' || c == '?' || c == '[' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }
  fs::path archive_;
  std::vector<Entry> entries_;
};

class GitTree final : public Tree {
 public:
  GitTree(const std::string& remote, const fs::path& into) : repository_(into) {
    std::error_code ignored;
    fs::remove_all(into, ignored);
    fs::create_directories(into.parent_path());
    const Output cloned = output_of({"timeout", kSecondsToFetch, "git", "-c", "protocol.ext.allow=never",
                                     "-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--bare",
                                     "--depth", "1", "--no-tags", "--", remote, into.string()},
                                    kLongestListing);
    if (!cloned.ok)
      throw Failure(ExitCode::environment, fmt::format("{} cannot be fetched: {}", remote,
                                                       cloned.text.substr(0, cloned.text.find('\n'))));
    const Output listing = output_of(git({"ls-tree", "-r", "-z", "--full-tree", "HEAD"}), kLongestListing);
    // MODE TYPE OBJECT<tab>PATH, each ended by a zero byte.
    for (const std::string& line : lines_of(listing.text, '\0')) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos || entries_.size() == kMostEntries) continue;
      entries_.push_back({line.substr(tab + 1), line.starts_with("100")});
    }
    const Output head = output_of(git({"log", "-1", "--format=%H %cI"}), 200);
    if (head.ok) origin_ = head.text.substr(0, head.text.find('\n'));
  }
  const std::vector<Entry>& entries() const override { return entries_; }
  std::optional<std::string> read(const Entry& entry) const override {
    Output contents = output_of(git({"cat-file", "blob", "HEAD:" + entry.path}), kLongestSource);
    if (!contents.ok || contents.text.size() > kLongestSource) return std::nullopt;
    return std::move(contents.text);
  }
  std::string origin() const override { return origin_; }

 private:
  std::vector<std::string> git(std::vector<std::string> words) const {
    std::vector<std::string> argv = {"timeout", kSecondsToRead, "git", "--git-dir", repository_.string()};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  fs::path repository_;
  std::vector<Entry> entries_;
  std::string origin_;
};

}  // namespace

std::unique_ptr<Tree> folder_tree(const fs::path& folder) { return std::make_unique<FolderTree>(folder); }

std::unique_ptr<Tree> file_tree(const fs::path& file, const std::string& shown_as) {
  return std::make_unique<FileTree>(file, shown_as);
}

bool is_archive(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_zip(file) || name.ends_with(".tar") || name.ends_with(".tar.gz") || name.ends_with(".tgz");
}

std::unique_ptr<Tree> archive_tree(const fs::path& archive) { return std::make_unique<ArchiveTree>(archive); }

std::unique_ptr<Tree> git_tree(const std::string& remote, const fs::path& into) {
  return std::make_unique<GitTree>(remote, into);
}

}  // namespace ladder::cli::grade
