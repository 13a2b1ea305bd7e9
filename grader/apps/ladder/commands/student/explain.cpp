// ladder explain: what a word means that the ladder prints.
#include "grader/apps/ladder/commands/commands.h"
#include "grader/course/text/glossary.h"

namespace ladder::cli {
namespace {

struct ExplainOptions {
  std::vector<std::string> words;
};

/// @p line with what stands between backticks as code, and without them.
std::string with_code(const Terminal& out, const std::string& line) {
  std::string shown;
  for (std::size_t at = 0, mark; at < line.size(); at = mark + 1) {
    mark = std::min(line.find('`', at), line.size());
    shown.append(line, at, mark - at);
    if (mark == line.size()) break;
    const std::size_t end = std::min(line.find('`', mark + 1), line.size());
    shown += out.paint(Tone::code, line.substr(mark + 1, end - mark - 1));
    mark = end;
  }
  return shown;
}

ExitCode explain(Context& context, const ExplainOptions& options) {
  const Terminal& out = context.out;
  const auto glossary = read_glossary(context.project().root / "docs" / "glossary.md");
  if (options.words.empty()) {
    std::string all;
    for (const GlossaryEntry& entry : glossary) all += (all.empty() ? "" : ", ") + entry.names.front();
    for (const std::string& line : wrap(all, static_cast<std::size_t>(out.width))) context.line("{}", line);
    context.line("{} shows one of them.", out.paint(Tone::code, "./ladder explain WORD"));
    return ExitCode::passed;
  }
  const GlossaryEntry& entry = find_entry(glossary, fmt::format("{}", fmt::join(options.words, " ")));
  context.line("{}", out.paint(Tone::strong, fmt::format("{}", fmt::join(entry.names, ", "))));
  for (const std::string& paragraph : split_lines(entry.text))
    for (const std::string& line : wrap(with_code(out, paragraph), static_cast<std::size_t>(out.width) - 2))
      context.line("  {}", line);
  return ExitCode::passed;
}

}  // namespace

void add_explain(Commands& commands) {
  const auto [command, options] =
      commands.add("explain", "what a word of the ladder, a verdict or the lens means",
                   "  ./ladder explain                   the words that there are\n"
                   "  ./ladder explain speed of light\n"
                   "  ./ladder explain wavefront\n",
                   explain);
  command->add_option("word", options.words, "as it is printed; signs such as ± as well");
}

}  // namespace ladder::cli
