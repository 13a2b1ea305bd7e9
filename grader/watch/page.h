// What `ladder watch` has on the screen: a page that grows, and a footer below it that changes.
//
// The page is printed on the terminal's main screen, not on its alternate one: earlier verdicts stay where a
// person looks for them, in the scrollback of the terminal or of tmux, and nothing is lost when the program
// ends or is killed.
#pragma once

#include <string>
#include <vector>

#include "grader/platform/terminal.h"
#include "grader/watch/console.h"

namespace ladder::cli::watch {

class Page {
 public:
  /// @param terminal  colour and character set; where it is no screen (TERM=dumb) nothing is ever taken back
  Page(const Terminal& terminal, Size size) : terminal_(terminal), size_(size) {}

  /// A fresh page on a clean screen. What was there goes up into the scrollback.
  void begin();
  /// Adds lines, as far as the screen has room: the rest waits for more().
  void add(const std::vector<std::string>& lines);
  /// Whether lines wait, and how many.
  std::size_t waiting() const { return pieces_.size() - printed_; }
  /// Room for another screenful, which scrolls the first lines away.
  void more();
  /// Replaces the footer. Lines that are too long are cut. An unchanged footer is not drawn again.
  void footer(std::vector<std::string> lines);
  /// Draws everything again, for a terminal of another size or after somebody else wrote to it.
  void redraw(Size size);
  /// Takes the footer away and leaves the cursor below the page.
  void end();

  Size size() const { return size_; }

 private:
  std::string erase_footer() const;
  std::string draw_footer() const;
  std::size_t screenful() const;
  void cut(std::size_t line);
  std::string print_waiting();
  std::string clean_screen();
  void change(const std::string& text);

  const Terminal& terminal_;
  Size size_;
  std::vector<std::string> lines_;  ///< of the page, as they were added
  struct Piece {
    std::string text;
    std::size_t line;  ///< the one it is of
  };
  std::vector<Piece> pieces_;  ///< the same, each as wide as the terminal at most
  std::size_t printed_ = 0;    ///< of those
  std::size_t room_ = 0;       ///< lines that may be on the screen before the reader wants more
  int on_screen_ = 0;          ///< rows that the page and its footer take up now
  bool fresh_ = true;          ///< nothing of ours is on the screen yet
  std::vector<std::string> footer_;
};

/// Cuts @p line into pieces of at most @p columns; escape codes take none and go on in the next piece.
std::vector<std::string> fold(const std::string& line, std::size_t columns);

}  // namespace ladder::cli::watch
