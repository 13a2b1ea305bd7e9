// The file format is gettext's and its functions are not: glibc's take no notice of LANGUAGE in the locales
// "C" and, since 2.39, "C.UTF-8", which are all that a bare container has, and setlocale() would be the
// student's program's, too.
#include "language/catalogue.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>

#include "language/mo_file.h"

namespace language {
namespace fs = std::filesystem;
namespace {

constexpr int kFoldersUp = 5;  ///< from a program, or a library, to the folder that has the catalogues

/// Where this code lies: the library that it is part of, and the program.
std::vector<fs::path> places_of_program() {
  std::vector<fs::path> places;
  std::error_code ignored;
  Dl_info about{};
  if (::dladdr(reinterpret_cast<const void*>(&speak_english), &about) != 0 && about.dli_fname != nullptr)
    places.push_back(fs::canonical(about.dli_fname, ignored));
  places.push_back(fs::read_symlink("/proc/self/exe", ignored));
  std::erase_if(places, [](const fs::path& place) { return !place.is_absolute(); });
  return places;
}

/// gettext's own variable, for a translator who tries a catalogue: TEXTDOMAINDIR. Else
/// "…/build/locale/zh_CN/LC_MESSAGES/ladder.mo" for a program in build/bin, "…/share/locale/…" of an
/// installed one.
fs::path file_of(const std::string& name) {
  std::error_code ignored;
  const fs::path inside = fs::path(name) / "LC_MESSAGES/ladder.mo";
  if (const char* const folder = std::getenv("TEXTDOMAINDIR"); folder != nullptr)
    if (fs::path file = folder / inside; fs::is_regular_file(file, ignored)) return file;
  for (fs::path place : places_of_program())
    for (int i = 0; i < kFoldersUp; ++i) {
      place = place.parent_path();
      for (const char* folder : {"locale", "share/locale"})
        if (fs::path file = place / folder / inside; fs::is_regular_file(file, ignored)) return file;
    }
  return {};
}

/// Of one that is no longer spoken there may still be texts in use: they stay.
const MoFile* kept(MoFile catalogue) {
  static std::mutex mutex;
  static auto* const all = new std::list<MoFile>;  // texts are asked for until the process has ended
  const std::lock_guard lock(mutex);
  return &all->emplace_back(std::move(catalogue));
}

/// Null: English.
const MoFile* catalogue_of(const std::vector<std::string>& languages) {
  for (const std::string& name : languages) {
    const fs::path path = file_of(name);
    if (path.empty()) continue;
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (auto catalogue = MoFile::read(std::move(bytes))) return kept(std::move(*catalogue));
  }
  return nullptr;
}

std::atomic<const MoFile*>& spoken() {
  static std::atomic<const MoFile*> catalogue{catalogue_of(wanted_languages())};
  return catalogue;
}

}  // namespace

std::vector<std::string> wanted_languages() {
  std::string locale;
  for (const char* name : {"LADDER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"})
    if (const char* const value = std::getenv(name); locale.empty() && value != nullptr) locale = value;
  locale = locale.substr(0, locale.find_first_of(".@"));
  const std::string language = locale.substr(0, locale.find('_'));
  const bool is_name = std::all_of(locale.begin(), locale.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  if (locale.empty() || !is_name || locale == "C" || locale == "POSIX" || language == "en") return {};
  if (language == locale) return {locale};
  return {locale, language};
}

bool speak(const std::vector<std::string>& languages) {
  const MoFile* const catalogue = catalogue_of(languages);
  spoken() = catalogue;
  return catalogue != nullptr;
}

void speak_english() {
  ::setenv("LADDER_LANG", "C", 1);
  speak({});
}

const char* tr(const char* english) {
  const MoFile* const catalogue = spoken();
  const char* const translated = catalogue == nullptr ? nullptr : catalogue->find(english);
  return translated == nullptr ? english : translated;
}

std::string formatted(fmt::string_view english, fmt::format_args values) {
  const MoFile* const catalogue = spoken();
  if (catalogue != nullptr)
    if (const char* const translated = catalogue->find({english.data(), english.size()});
        translated != nullptr)
      try {
        return fmt::vformat(translated, values);
      } catch (
          const fmt::format_error&) {  // a mistake in the catalogue costs the translation, and nothing else
      }
  return fmt::vformat(english, values);
}

}  // namespace language
