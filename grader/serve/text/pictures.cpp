#include "grader/serve/text/pictures.h"

#include <array>

#include "grader/platform/files.h"

namespace ladder::cli::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPictureTypes = {
    {{".svg", "image/svg+xml"}, {".png", "image/png"}}};

/// The folder's own entries are compared with the name: no path is ever made of what a request says.
std::optional<ServedPicture> picture_in(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != name || !entry.is_regular_file(ignored)) continue;
    for (const auto& [extension, type] : kPictureTypes)
      if (entry.path().extension() == extension)
        return ServedPicture{std::string(type), read_file(entry.path())};
  }
  return std::nullopt;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= left ? kDigits[three >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

}  // namespace

std::optional<ServedPicture> served_picture(const Course& course, const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == path.npos) return std::nullopt;
  for (const LessonInfo& lesson : course.lessons)
    if (lesson.name == path.substr(0, slash)) return picture_in(lesson.folder, path.substr(slash + 1));
  return std::nullopt;
}

std::string picture_address(const View& view, const std::string& name) {
  if (view.live) return "picture/" + view.lesson.name + "/" + name;
  const auto picture = picture_in(view.lesson.folder, name);
  return picture ? "data:" + picture->type + ";base64," + base64(picture->bytes) : "";
}

}  // namespace ladder::cli::serve
