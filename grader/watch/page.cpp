#include "grader/watch/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace ladder::cli::watch {
namespace {

void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(1, text.data(), text.size());
    if (n < 0 && errno != EINTR && errno != EAGAIN) return;  // the terminal is gone; SIGHUP ends us
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Bytes of the escape code or the character at the front of @p text.
std::size_t next_piece(std::string_view text) {
  if (const std::size_t code = escape_length(text)) return code;
  std::size_t n = 1;
  while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xc0) == 0x80) ++n;
  return n;
}

}  // namespace

std::vector<std::string> fold(const std::string& line, std::size_t columns) {
  if (display_width(line) <= columns) return {line};
  std::vector<std::string> pieces(1);
  std::size_t width = 0;
  std::string codes;  // the escape codes in force
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view piece = rest.substr(0, next_piece(rest));
    rest.remove_prefix(piece.size());
    if (piece.starts_with("\033[")) {
      codes = piece == "\033[0m" ? std::string() : codes + std::string(piece);
      pieces.back() += piece;
      continue;
    }
    const std::size_t wide = display_width(piece);
    if (width + wide > columns) {
      if (!codes.empty()) pieces.back() += "\033[0m";
      pieces.push_back(codes);
      width = 0;
    }
    pieces.back() += piece;
    width += wide;
  }
  return pieces;
}

std::string Page::erase_footer() const {
  if (footer_.empty() || !terminal_.tty) return {};
  std::string text = "\r";
  if (footer_.size() > 1) text += fmt::format("\033[{}A", footer_.size() - 1);
  return text + "\033[J";
}

std::string Page::draw_footer() const {
  if (!terminal_.tty) return {};
  std::string text;
  for (std::size_t i = 0; i < footer_.size(); ++i) text += (i == 0 ? "" : "\n") + footer_[i];
  return text;
}

std::string Page::print_waiting() {
  std::string text;
  const std::size_t until = terminal_.tty ? std::min(pieces_.size(), room_) : pieces_.size();
  for (; printed_ < until; ++printed_) text += pieces_[printed_].text + "\n";
  on_screen_ = static_cast<int>(
      std::min<std::size_t>(printed_ + footer_.size(), static_cast<std::size_t>(size_.rows)));
  return text;
}

void Page::change(const std::string& text) {
  if (!text.empty()) write_out(erase_footer() + text + draw_footer());
}

std::string Page::clean_screen() {
  if (!terminal_.tty) return fresh_ ? "" : "\n";
  // Scrolled away rather than cleared, from the last row down: that is what puts it into the scrollback.
  std::string text = erase_footer() + fmt::format("\033[{};1H", size_.rows);
  text += std::string(static_cast<std::size_t>(fresh_ ? size_.rows : on_screen_), '\n');
  return text + "\033[H\033[J";
}

std::size_t Page::screenful() const {
  return static_cast<std::size_t>(std::max(3, size_.rows - 4));  // a footer takes up to four rows
}

void Page::begin() {
  write_out(clean_screen());
  fresh_ = false;
  lines_.clear();
  pieces_.clear();
  footer_.clear();
  printed_ = 0;
  on_screen_ = 0;
  room_ = screenful();
}

void Page::add(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    lines_.push_back(line);
    cut(lines_.size() - 1);
  }
  change(print_waiting());
}

void Page::cut(std::size_t line) {
  for (std::string& piece : fold(lines_[line], static_cast<std::size_t>(size_.columns)))
    pieces_.push_back({std::move(piece), line});
}

void Page::more() {
  room_ = printed_ + screenful();
  change(print_waiting());
}

void Page::footer(std::vector<std::string> lines) {
  // A line that reaches the last column may wrap; then the way back up would be wrong.
  const std::size_t columns = static_cast<std::size_t>(std::max(2, size_.columns)) - 1;
  for (std::string& line : lines) line = fold(line, columns).front();
  if (lines == footer_) return;
  const std::string erased = erase_footer();
  footer_ = std::move(lines);
  write_out(erased + draw_footer());
}

void Page::redraw(Size size) {
  size_ = size;
  const std::vector<std::string> below = std::move(footer_);
  const std::size_t seen = printed_ == 0 ? 0 : pieces_[printed_ - 1].line + 1;  // lines
  footer_.clear();
  pieces_.clear();
  for (std::size_t line = 0; line < lines_.size(); ++line) cut(line);
  if (terminal_.tty) write_out("\033[H\033[J");
  printed_ = 0;
  const auto unseen =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.line >= seen; });
  room_ = std::max(static_cast<std::size_t>(unseen - pieces_.begin()), screenful());
  change(print_waiting());
  footer(below);
}

void Page::end() {
  write_out(erase_footer());
  footer_.clear();
}

}  // namespace ladder::cli::watch
