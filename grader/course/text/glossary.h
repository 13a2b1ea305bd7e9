// The words that the ladder, the verdicts and the lens print, with what they mean: docs/glossary.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct GlossaryEntry {
  std::vector<std::string> names;  ///< the first is the usual one; others are signs and abbreviations
  std::string text;                ///< one paragraph a line; `code` between backticks
};

/// Reads entries "## name · other name", each with the paragraphs that follow.
/// @throws Failure (environment) where the file cannot be read
std::vector<GlossaryEntry> read_glossary(const std::filesystem::path& file);

/// The entry of a word, whatever its case, in the singular or the plural.
/// @throws Failure (usage), with the nearest words
const GlossaryEntry& find_entry(const std::vector<GlossaryEntry>& glossary, std::string_view word);

}  // namespace ladder::cli
