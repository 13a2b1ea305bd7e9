#include "grader/serve/text/markdown.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <cctype>
#include <cstdlib>
#include <memory>

#include "grader/serve/text/highlight.h"

namespace ladder::cli::serve {
namespace {

template <auto function>
struct Calls {
  template <class T>
  void operator()(T* pointer) const {
    function(pointer);
  }
};
using Node = std::unique_ptr<cmark_node, Calls<cmark_node_free>>;
using Parser = std::unique_ptr<cmark_parser, Calls<cmark_parser_free>>;
using Iterator = std::unique_ptr<cmark_iter, Calls<cmark_iter_free>>;
using Text = std::unique_ptr<char, Calls<std::free>>;

std::string text_in(cmark_node* node) {
  std::string text;
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr; child = cmark_node_next(child)) {
    if (const char* literal = cmark_node_get_literal(child)) text += literal;
    text += text_in(child);
  }
  return text;
}

/// "Predict, then run": predict-then-run, as forges make anchors.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

void lower_heading(cmark_node* node) {
  cmark_node_set_heading_level(node, std::min(6, cmark_node_get_heading_level(node) + 1));
  cmark_node* anchor = cmark_node_new(CMARK_NODE_HTML_INLINE);
  cmark_node_set_literal(anchor, ("<a id=\"" + anchor_of(text_in(node)) + "\"></a>").c_str());
  cmark_node_prepend_child(node, anchor);
}

/// A block of C++ or CUDA in colours takes the place of a plain one.
void colour(cmark_node* block) {
  const std::string language = cmark_node_get_fence_info(block);
  if (language != "cpp" && language != "cuda" && language != "c++" && language != "cu") return;
  std::string html = "<pre><code>";
  for (const std::string& line : highlighted(cmark_node_get_literal(block))) html += line + "\n";
  cmark_node* coloured = cmark_node_new(CMARK_NODE_HTML_BLOCK);
  cmark_node_set_literal(coloured, (html + "</code></pre>").c_str());
  cmark_node_replace(block, coloured);
  cmark_node_free(block);
}

/// A link without an address leaves its words behind.
void dissolve(cmark_node* link) {
  while (cmark_node* child = cmark_node_first_child(link)) cmark_node_insert_before(link, child);
  cmark_node_unlink(link);
  cmark_node_free(link);
}

/// Goes through a text once.
class Visitor {
 public:
  explicit Visitor(const MarkdownLinks& links) : links_(links) {}

  void visit(cmark_node* node) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        return heading(node);
      case CMARK_NODE_PARAGRAPH:
        if (rung_ != 0 && cmark_node_get_type(cmark_node_first_child(node)) == CMARK_NODE_EMPH &&
            text_in(cmark_node_first_child(node)).starts_with("Predict"))
          predict(node, rung_);
        return;
      case CMARK_NODE_CODE_BLOCK:
        return colour(node);
      case CMARK_NODE_IMAGE:
        cmark_node_set_url(node, links_.picture(cmark_node_get_url(node)).c_str());
        return;
      case CMARK_NODE_LINK:
        return link(node);
      default:
        return;
    }
  }

 private:
  /// "3 · Padded" begins the section of rung 3; "Predict, then run" is followed by a list of questions.
  void heading(cmark_node* node) {
    const std::string text = text_in(node);
    rung_ = text.find(" · ") == text.npos ? 0 : std::atoi(text.c_str());
    lower_heading(node);
    if (text.find("Predict,") == text.npos) return;  // a translation has it in brackets
    cmark_node* questions = cmark_node_next(node);
    while (questions != nullptr && cmark_node_get_type(questions) != CMARK_NODE_LIST &&
           cmark_node_get_type(questions) != CMARK_NODE_HEADING)
      questions = cmark_node_next(questions);
    if (questions != nullptr && cmark_node_get_type(questions) == CMARK_NODE_LIST) predict(questions, 0);
  }

  void predict(cmark_node* behind, int rung) const {
    if (!links_.predictions) return;
    cmark_node* boxes = cmark_node_new(CMARK_NODE_HTML_BLOCK);
    cmark_node_set_literal(boxes, links_.predictions(rung).c_str());
    cmark_node_insert_after(behind, boxes);
  }

  void link(cmark_node* node) const {
    const std::string address = links_.link(cmark_node_get_url(node));
    if (address.empty()) return dissolve(node);
    cmark_node_set_url(node, address.c_str());
  }

  const MarkdownLinks& links_;
  int rung_ = 0;  ///< whose section it is; 0: of none
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// A picture that stands alone gets a box to scroll in: there it keeps its size, and its words are legible on
/// a phone.
void frame_pictures(std::string& html) {
  static constexpr std::string_view kOpen = "<p><img ", kClose = " /></p>";
  static constexpr std::string_view kBox = "<div class=\"picture\" tabindex=\"0\"><img ",
                                    kBoxEnd = " /></div>";
  for (std::size_t at = 0; (at = html.find(kOpen, at)) != html.npos; at += kOpen.size()) {
    const std::size_t end = html.find(kClose, at);
    if (end == html.npos || html.find('>', at + kOpen.size()) != end + 2)
      continue;  // there is more beside it
    html.replace(end, kClose.size(), kBoxEnd);
    html.replace(at, kOpen.size(), kBox);
  }
}

}  // namespace

std::string html_of(std::string_view text, const MarkdownLinks& links) {
  cmark_gfm_core_extensions_ensure_registered();
  const Parser parser(cmark_parser_new(CMARK_OPT_UNSAFE));
  for (const char* name : {"table", "strikethrough"})
    if (cmark_syntax_extension* extension = cmark_find_syntax_extension(name))
      cmark_parser_attach_syntax_extension(parser.get(), extension);
  cmark_parser_feed(parser.get(), text.data(), text.size());
  const Node document(cmark_parser_finish(parser.get()));
  const Iterator iterator(cmark_iter_new(document.get()));
  Visitor visitor(links);
  // At its end a node may go: the iterator has left it, and its children came before.
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iterator.get());
    const bool leaf = cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK;  // which has no end
    if (event == CMARK_EVENT_EXIT || leaf) visitor.visit(node);
  }
  const Text rendered(
      cmark_render_html(document.get(), CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser.get())));
  std::string html = rendered.get();
  replace_all(html, "<pre>", "<pre tabindex=\"0\">");
  replace_all(html, "<table>", "<div class=\"scroll\" tabindex=\"0\"><table>");
  replace_all(html, "</table>", "</table></div>");
  frame_pictures(html);
  return html;
}

}  // namespace ladder::cli::serve
