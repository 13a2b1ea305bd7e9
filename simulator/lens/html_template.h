// Pages and their parts as HTML in files of their own, which are filled in here.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace sim::lens {

/// An HTML file with parts, each in an element `<template id="...">`; the page is what stands before the
/// first of them.
/// `{{name}}` stands for a value as text, which is escaped, `{{{name}}}` for markup, which is not.
/// `[[words]]` are words in the reader's language, escaped; in them `{name}` stands for a value, and
/// po/update finds them. An indented line continues the one before it, behind a blank where that does not end
/// with a tag or a value.
class HtmlTemplate {
 public:
  struct Value {
    template <class T>
    Value(std::string_view of, const T& value) : name(of), text(fmt::format("{}", value)) {}
    std::string_view name;
    std::string text;
  };
  using Values = std::initializer_list<Value>;

  explicit HtmlTemplate(std::string_view file);
  /// The page, filled in. @throws std::logic_error where the file names a value that is not among @p values
  std::string page(Values values) const { return part({}, values); }
  /// A part, filled in. @throws std::logic_error as page() does, and where there is no such part
  std::string part(std::string_view id, Values values) const;

 private:
  std::map<std::string, std::string, std::less<>> parts_;  ///< by id; the page has none
};

}  // namespace sim::lens
