// Translations of what a person reads. English texts in the sources are the keys, and what is said where
// there is no other.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace language {

/// The languages that texts are wanted in, the best first, as gettext's programs read the environment:
/// LADDER_LANG, or else LC_ALL, LC_MESSAGES or LANG, whichever is set first. Of "zh_CN.UTF-8" these are
/// "zh_CN" and "zh". Empty: English.
std::vector<std::string> wanted_languages();

/// Has the first of some languages spoken that there is a catalogue for, and English where there is none. A
/// process begins with wanted_languages().
/// @return whether it is not English
bool speak(const std::vector<std::string>& languages);

/// English, here and in the processes that this one starts: of what is written for everybody, or for
/// programs.
void speak_english();

/// The translation of a text; itself where it has none.
const char* tr(const char* english);

/// Marks a text for the catalogue that tr() is called with later.
consteval const char* tr_noop(const char* english) { return english; }

/// Formats the translation of a format; the English one where that does not fit the values.
std::string formatted(fmt::string_view english, fmt::format_args values);

/// As fmt::format(), in the language that is spoken. Translations may take the values in another order: {1}
/// {0}.
template <class... Values>
requires(sizeof...(Values) > 0) std::string tr(fmt::format_string<Values...> english, Values&&... values) {
  return formatted(english, fmt::make_format_args(values...));
}

}  // namespace language

// A word of two letters at every text that somebody reads.
namespace ladder {
using language::tr;
using language::tr_noop;
}  // namespace ladder
namespace sim {
using language::tr;
using language::tr_noop;
}  // namespace sim
