#include "grader/course/translation.h"

#include "grader/course/lesson_reader.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// "README.zh_CN.md" of "README.md".
fs::path name_in(const fs::path& original, const std::string& language) {
  return original.parent_path() / (original.stem().string() + "." + language + original.extension().string());
}

/// A text of the translation, where it has one.
void put(std::string& text, const LessonReader& reader, std::string_view key) {
  if (std::string own = reader.text(key, false); !own.empty()) text = std::move(own);
}

/// As many texts as the lesson has, each into its place.
template <class Element>
void put_all(std::vector<Element>& elements, std::string Element::*text, const LessonReader& reader,
             const toml::table& table, std::string_view key) {
  if (!table.contains(key)) return;
  const std::vector<std::string> texts = reader.texts(key);
  if (texts.size() != elements.size())
    reader.fail(line_of(*table.get(key)),
                fmt::format("`{}` has {} text{}, and the lesson has {}", key, texts.size(),
                            texts.size() == 1 ? "" : "s", elements.size()));
  for (std::size_t i = 0; i < texts.size(); ++i) elements[i].*text = texts[i];
}

void translate_rung(RungInfo& rung, const toml::table& table, const fs::path& file) {
  const LessonReader reader(table, file);
  put(rung.summary, reader, "summary");
  put(rung.detour, reader, "detour");
  put_all(rung.hints, &Hint::text, reader, table, "hints");
  put_all(rung.questions, &Question::ask, reader, table, "asks");
  put_all(rung.how.conditions, &idea::Condition::says, reader, table, "says");
}

}  // namespace

std::optional<Translation> translation_of(const fs::path& original,
                                          const std::vector<std::string>& languages) {
  std::error_code ignored;
  for (const std::string& language : languages)
    if (fs::path file = name_in(original, language); fs::is_regular_file(file, ignored))
      return Translation{std::move(file), language};
  return std::nullopt;
}

LessonInfo translated(LessonInfo lesson, std::string_view text, const fs::path& file) {
  const toml::table table = parse_table(text, file);
  const LessonReader reader(table, file);
  put(lesson.title, reader, "title");
  put(lesson.summary, reader, "summary");
  const toml::node* const node = table.get("rung");
  if (node == nullptr) return lesson;
  if (!node->is_table()) reader.fail(line_of(*node), "`rung` must be tables: write [rung.1_name]");
  for (const auto& [key, value] : *node->as_table()) {
    const std::string_view name = key.str();
    const auto rung = std::find_if(lesson.rungs.begin(), lesson.rungs.end(),
                                   [&](const RungInfo& known) { return known.name == name; });
    if (rung == lesson.rungs.end() || !value.is_table())
      reader.fail(line_of(value), fmt::format("the lesson has no rung `{}`", name));
    translate_rung(*rung, *value.as_table(), file);
  }
  return lesson;
}

}  // namespace ladder::cli
