// The terminal as `ladder` sees it: colour or not, how wide, and one line that comes and goes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

/// What a piece of text means; the colour follows from it. Nothing is told by colour alone.
enum class Tone { plain, strong, dim, good, bad, warn, accent, code };

enum class ColourWish { automatic, always, never };

/// Facts about an output stream.
struct Terminal {
  bool tty = false;      ///< a person is looking
  bool colour = false;   ///< escape codes are welcome
  bool unicode = true;   ///< the locale can show more than ASCII
  int width = 80;        ///< columns to use, 40 to 120
  int progress_fd = -1;  ///< where a TransientLine writes what it would show, a line each; -1: it draws

  /// Looks at a descriptor and the environment: NO_COLOR, TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG. Escape codes
  /// only where @p fd is a terminal, NO_COLOR is unset and TERM is not "dumb", unless @p wish says otherwise.
  static Terminal of(int fd, ColourWish wish = ColourWish::automatic);

  /// @p text with the escape codes of @p tone around it, or as it is where there is no colour.
  std::string paint(Tone tone, std::string_view text) const;
  /// One of two spellings: @p fancy where the locale shows Unicode, else @p plain.
  std::string pick(std::string_view fancy, std::string_view plain) const {
    return std::string(unicode ? fancy : plain);
  }
};

/// Length of the escape code that @p text begins with; 0 where it begins with none.
std::size_t escape_length(std::string_view text);

/// Columns that UTF-8 @p text takes, escape codes not counted; wide (CJK, emoji) characters take two,
/// combining ones none.
std::size_t display_width(std::string_view text);

/// @p text cut to at most @p columns, ending in an ellipsis
/// where something was lost; escape codes are not expected.
std::string shorten(std::string_view text, std::size_t columns, bool unicode = true);

/// @p text with spaces added on the right (or left) until it is @p columns wide.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

/// Breaks @p text into lines of at most @p columns at spaces, and between wide characters. Newlines stay;
/// lines that begin with a space are code or a picture and are not broken.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// Adds @p text, wrapped to the terminal's width behind @p indent.
void add_wrapped(std::vector<std::string>& lines, std::string_view text, std::string_view indent,
                 const Terminal& terminal, Tone tone = Tone::plain);

/// @p text without control characters that could move the
/// cursor or change colours: for what student code printed.
std::string without_controls(std::string_view text);

/// A bar of @p columns that is @p share (0 to 1) full, in eighths of a column; '#' and '.' without Unicode.
std::string bar(double share, std::size_t columns, bool unicode);

/// One line at the bottom of a terminal that shows what is
/// going on, and vanishes. Does nothing when not on a terminal.
class TransientLine {
 public:
  explicit TransientLine(const Terminal& terminal, std::FILE* stream = stdout)
      : terminal_(terminal), stream_(stream) {}
  ~TransientLine() { clear(); }
  TransientLine(const TransientLine&) = delete;
  TransientLine& operator=(const TransientLine&) = delete;
  void show(std::string_view text);
  void clear();

 private:
  const Terminal& terminal_;
  std::FILE* stream_;
  bool visible_ = false;
};

}  // namespace ladder::cli
