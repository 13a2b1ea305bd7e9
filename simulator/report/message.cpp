#include "simulator/report/message.h"

#include <charconv>

#include "language/catalogue.h"

namespace sim {

void Message::add(Operand operand) {
  if (auto* text = std::get_if<std::string>(&operand))
    add(std::move(*text));
  else
    operands_.push_back(std::move(operand));
}

void Message::add(std::string text) {
  if (text.empty()) return;
  auto* const before = operands_.empty() ? nullptr : std::get_if<std::string>(&operands_.back());
  if (before != nullptr)
    *before += text;
  else
    operands_.emplace_back(std::move(text));
}

Message& Message::operator+=(const Message& more) {
  for (const Operand& operand : more.operands_) add(operand);
  return *this;
}

void Message::put_together(const char* english, std::span<const Message> operands) {
  std::optional<Message> words = put_into(tr(english), operands);
  if (!words) words = put_into(english, operands);  // has a "{}" for each: see WordsFor
  *this += *words;
}

std::optional<Message> Message::put_into(std::string_view format, std::span<const Message> operands) {
  Message words;
  for (std::size_t next = 0; !format.empty();) {
    const std::size_t begin = format.find('{');
    words.add(std::string(format.substr(0, begin)));
    if (begin == format.npos) break;
    format.remove_prefix(begin + 1);
    std::size_t place = next++;
    const char* const last = format.data() + format.size();
    const char* const end = std::from_chars(format.data(), last, place).ptr;
    if (end == last || *end != '}' || place >= operands.size()) return std::nullopt;
    words += operands[place];
    format.remove_prefix(static_cast<std::size_t>(end + 1 - format.data()));
  }
  return words;
}

}  // namespace sim
