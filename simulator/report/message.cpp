#include "simulator/report/message.h"

#include <cstring>

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

const char* Message::add_words(const char* format) {
  const char* const end = std::strstr(format, "{}");  // there is one: see WordsFor
  add(std::string(format, end));
  return end + 2;
}

}  // namespace sim
