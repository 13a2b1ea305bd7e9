#include "grader/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "grader/platform/environment.h"
#include "grader/platform/text.h"

namespace ladder::cli {
namespace {

bool locale_shows_unicode() {
  std::string locale = first_in_environment({"LC_ALL", "LC_CTYPE", "LANG"});
  if (locale.empty()) return true;  // a bare container says nothing, and every terminal of today can
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "\033[1m";
    case Tone::dim:
      return "\033[2m";
    case Tone::good:
      return "\033[32m";
    case Tone::bad:
      return "\033[31m";
    case Tone::warn:
      return "\033[33m";
    case Tone::accent:
      return "\033[36m";
    case Tone::code:
      return "\033[1;36m";
  }
  return "";
}

struct Glyph {
  std::size_t bytes, columns;
};

/// The first character of non-empty text; a byte that is no UTF-8 counts as one, of one column.
Glyph first_glyph(std::string_view text) {
  const Point c = first_point(text);
  if (c.length == 0) return {1, 1};
  return {c.length, static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(c.value)))};
}

/// How many bytes of a word must stay on one line. Chinese and Japanese break between any two characters, but
/// not before a closing mark or behind an opening one.
std::size_t unbroken(std::string_view word) {
  constexpr std::string_view kBeginsNoLine = "，。；：、！？）」』】》”’…,.;:!?)]%",
                             kEndsNoLine = "（「『【《“‘([";
  std::string_view before;
  bool wide_before = false;
  for (std::size_t at = 0; at < word.size();) {
    if (const std::size_t skip = escape_length(word.substr(at))) {
      at += skip;
      continue;
    }
    const Glyph c = first_glyph(word.substr(at));
    const std::string_view glyph = word.substr(at, c.bytes);
    const bool wide = c.columns == 2;
    if (!before.empty() && (wide || wide_before) && kBeginsNoLine.find(glyph) == std::string_view::npos &&
        kEndsNoLine.find(before) == std::string_view::npos)
      return at;
    before = glyph;
    wide_before = wide;
    at += c.bytes;
  }
  return word.size();
}

}  // namespace

std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\033' || text[1] != '[') return 0;
  std::size_t i = 2;
  while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  return std::min(i + 1, text.size());
}

Terminal Terminal::of(int fd, ColourWish wish) {
  Terminal terminal;
  terminal.tty = ::isatty(fd) == 1;
  const bool dumb = environment("TERM") == "dumb";
  terminal.colour = wish == ColourWish::always || (wish == ColourWish::automatic && terminal.tty &&
                                                   environment("NO_COLOR").empty() && !dumb);
  terminal.unicode = locale_shows_unicode();
  int width = 80;
  winsize size{};
  if (terminal.tty && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  } else if (const int columns = std::atoi(environment("COLUMNS").c_str()); columns > 0) {
    width = columns;
  }
  terminal.width = std::clamp(width, 40, 120);
  if (dumb) terminal.tty = false;  // it cannot take a line back
  return terminal;
}

std::string Terminal::paint(Tone tone, std::string_view text) const {
  if (!colour || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string(escape(tone)) + std::string(text) + "\033[0m";
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const std::size_t skip = escape_length(text)) {
      text.remove_prefix(skip);
      continue;
    }
    const Glyph c = first_glyph(text);
    width += c.columns;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t columns, bool unicode) {
  if (display_width(text) <= columns) return std::string(text);
  const std::string_view ellipsis = unicode ? "…" : "...";
  const std::size_t room = columns - std::min(columns, display_width(ellipsis));
  std::string cut;
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph c = first_glyph(text);
    width += c.columns;
    if (width > room) break;
    cut += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  while (!cut.empty() && cut.back() == ' ') cut.pop_back();
  return cut + std::string(ellipsis);
}

std::string pad_right(std::string_view text, std::size_t columns) {
  return std::string(text) + std::string(columns - std::min(columns, display_width(text)), ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  return std::string(columns - std::min(columns, display_width(text)), ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view paragraph = text.substr(0, end);
    if (paragraph.starts_with(' ') || display_width(paragraph) <= columns) {
      lines.emplace_back(paragraph);
    } else {
      std::string line;
      while (!paragraph.empty()) {
        const std::size_t space = paragraph.find(' ');
        std::string_view word = paragraph.substr(0, space);
        bool spaced = !line.empty();
        do {
          const std::string_view piece = word.substr(0, unbroken(word));
          if (!line.empty() && display_width(line) + (spaced ? 1 : 0) + display_width(piece) > columns) {
            lines.push_back(std::move(line));
            line.clear();
            spaced = false;
          }
          if (spaced) line += ' ';
          line += piece;
          spaced = false;
          word.remove_prefix(piece.size());
        } while (!word.empty());
        paragraph.remove_prefix(space == std::string_view::npos ? paragraph.size() : space + 1);
      }
      lines.push_back(std::move(line));
    }
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

void add_wrapped(std::vector<std::string>& lines, std::string_view text, std::string_view indent,
                 const Terminal& terminal, Tone tone) {
  for (const std::string& line : wrap(text, static_cast<std::size_t>(terminal.width) - indent.size()))
    lines.push_back(line.empty() ? line : std::string(indent) + terminal.paint(tone, line));
}

std::string without_controls(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    if (const std::size_t skip = escape_length(text)) {
      text.remove_prefix(skip);
      continue;
    }
    const Point next = first_point(text);
    if (next.length == 2 &&
        next.value < 0xa0) {  // U+0080 to U+009F: to some terminals U+009B is Escape and [
      text.remove_prefix(2);
      continue;
    }
    const unsigned char c = static_cast<unsigned char>(text.front());
    if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f)) clean += text.front();
    text.remove_prefix(1);
  }
  return clean;
}

std::string bar(double share, std::size_t columns, bool unicode) {
  if (!(share > 0)) share = 0;
  share = std::min(share, 1.0);
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  // Something that is not zero shows: a bar that is empty would say "nothing".
  auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(columns) * 8));
  if (eighths == 0 && share > 0) eighths = 1;
  std::string text;
  if (!unicode) return std::string((eighths + 4) / 8, '#');
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

void TransientLine::show(std::string_view text) {
  if (terminal_.progress_fd >= 0) {
    const std::string line = without_controls(text) + "\n";
    (void)!::write(terminal_.progress_fd, line.data(), line.size());
    return;
  }
  if (!terminal_.tty) return;
  const std::string line = shorten(text, static_cast<std::size_t>(terminal_.width) - 1, terminal_.unicode);
  std::fprintf(stream_, "\r\033[K%s", terminal_.paint(Tone::dim, line).c_str());
  std::fflush(stream_);
  visible_ = true;
}

void TransientLine::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  visible_ = false;
}

}  // namespace ladder::cli
