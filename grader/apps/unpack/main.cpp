// ladder-unpack: lists an archive that somebody else has made, or unpacks what is wanted of it. It runs in a
// cell that shows the archive alone; whoever started it holds what it prints against bounds.
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: ladder-unpack --list ARCHIVE\n"
    "       ladder-unpack --into FOLDER --most BYTES [--whole] ARCHIVE [SUFFIX...]\n";

struct Wishes {
  fs::path archive, into;
  std::uint64_t most = 0;             ///< bytes, of all that is unpacked
  std::vector<std::string> suffixes;  ///< of names that are unpacked; none: of all
  bool whole = false;                 ///< an entry that cannot be unpacked ends it all
};

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

/// @return null where the file is no archive
Reader opened(const fs::path& file) {
  Reader reader(archive_read_new(), archive_read_free);
  for (const auto filter : {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
                            archive_read_support_filter_xz, archive_read_support_filter_zstd,
                            archive_read_support_filter_lzma, archive_read_support_filter_compress})
    filter(reader.get());
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  constexpr std::size_t kBlock = 64 << 10;
  if (archive_read_open_filename(reader.get(), file.c_str(), kBlock) != ARCHIVE_OK) reader.reset();
  return reader;
}

/// @param whole  becomes false where the archive cannot be read on
/// @return false there and at the end
bool next(archive* reader, archive_entry*& entry, bool& whole) {
  const int found = archive_read_next_header(reader, &entry);
  whole = found == ARCHIVE_OK || found == ARCHIVE_WARN || found == ARCHIVE_EOF;
  return whole && found != ARCHIVE_EOF;
}

bool is_zip(archive* reader) {
  return (archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
}

/// The entry's path, a folder's with a slash at its end; a zip's may have the slashes of Windows.
std::string path_of(archive* reader, archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  std::string path = name == nullptr ? "" : name;
  if (is_zip(reader)) std::replace(path.begin(), path.end(), '\\', '/');
  if (archive_entry_filetype(entry) == AE_IFDIR && !path.ends_with('/')) path += '/';
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

bool is_file(archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
}

bool leads_out(const fs::path& path) {
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

/// Prints "f 12 a/name" and a zero byte for a file of 12 bytes, with an o in front for what is none.
bool list(const fs::path& file) {
  const Reader reader = opened(file);
  bool whole = reader != nullptr;
  archive_entry* entry = nullptr;
  while (whole && next(reader.get(), entry, whole)) {
    const std::string path = path_of(reader.get(), entry);
    std::printf("%c %" PRIu64 " %s%c", is_file(entry) ? 'f' : 'o',
                static_cast<std::uint64_t>(std::max<std::int64_t>(0, archive_entry_size(entry))),
                path.c_str(), '\0');
  }
  return whole;
}

/// Writes an entry's contents, of which @p room bytes are left. @return whether all of it could be read and
/// written, with the sum that the archive gives for it
bool write_contents(archive* reader, const fs::path& file, std::uint64_t& room) {
  const std::string& path = file.native();
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0755);  // where that fails, so does open()
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::vector<char> block(64 << 10);
  la_ssize_t read = 0;
  bool good = true;
  while (good && (read = archive_read_data(reader, block.data(), block.size())) > 0) {
    const auto bytes = static_cast<std::size_t>(read);
    good = bytes <= room && ::write(fd, block.data(), bytes) == read;
    room -= std::min<std::uint64_t>(room, bytes);
  }
  ::close(fd);
  good = good && read == 0;
  if (!good) ::unlink(path.c_str());
  return good;
}

/// Only files and their folders are made, so that no path leads through a link. Prints how many files there
/// are then.
bool unpack(const Wishes& wishes) {
  const Reader reader = opened(wishes.archive);
  if (reader == nullptr || !fs::create_directory(wishes.into)) return false;
  std::uint64_t room = wishes.most;
  std::set<std::string> files;
  bool whole = true;
  archive_entry* entry = nullptr;
  while (next(reader.get(), entry, whole)) {
    const std::string path = path_of(reader.get(), entry);
    const bool wanted = wishes.suffixes.empty() ||
                        std::any_of(wishes.suffixes.begin(), wishes.suffixes.end(),
                                    [&](const std::string& suffix) { return path.ends_with(suffix); });
    if (!is_file(entry) || !wanted || path.empty() || leads_out(path)) continue;
    if (write_contents(reader.get(), wishes.into / path, room))
      files.insert(path);
    else if (room == 0 || wishes.whole)
      return false;
  }
  std::printf("%zu\n", files.size());
  return whole || !wishes.whole;
}

int usage() {
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "");  // names are UTF-8
  ::umask(022);
  Wishes wishes;
  bool listing = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--list")
      listing = true;
    else if (word == "--whole")
      wishes.whole = true;
    else if (word == "--into" && i + 1 < argc)
      wishes.into = argv[++i];
    else if (word == "--most" && i + 1 < argc)
      wishes.most = std::strtoull(argv[++i], nullptr, 10);
    else if (wishes.archive.empty())
      wishes.archive = word;
    else
      wishes.suffixes.emplace_back(word);
  }
  if (wishes.archive.empty() || listing != wishes.into.empty()) return usage();
  const bool done = listing ? list(wishes.archive) : unpack(wishes);
  return done && std::fflush(stdout) == 0 ? 0 : 1;
}
