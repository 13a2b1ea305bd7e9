// What a finding says, as words and typed operands: the sentence is made once, when all of them are known.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sim {

/// Memory that a message names: "cudaMalloc #3", with its line "cudaMalloc #3 of line 12", with the variable
/// that holds its address "d_a, cudaMalloc #3 of line 12".
struct AllocationName {
  std::string origin{};                    ///< the call and its number, or the variable's own name
  std::uint64_t base = 0;                  ///< its device address
  std::uint64_t size = 0;                  ///< bytes
  std::vector<std::string> host_frames{};  ///< of the call that asked for it, as those of a finding
  std::string file{};                      ///< where that call stands; empty: not known
  int line = 0;
  std::string variable{};  ///< what the call puts the address into; empty: not known
};

/// A call of the API that a message is about: "cudaMemcpy".
struct ApiCall {
  std::string name{};
};

/// Where the finding's other party stands: "line 12", and "elsewhere" where that is not known.
struct OtherLine {};

/// The thread of the finding's other party: "(1,0,0)".
struct OtherThread {};

/// A format of the words, checked when it is compiled: as many "{}" as there are operands.
template <class... Operands>
struct WordsFor {
  consteval WordsFor(const char* format) : text(format) {
    int places = 0;
    for (const char* c = format; *c != 0; ++c) places += c[0] == '{' && c[1] == '}';
    if (places != sizeof...(Operands)) throw "a message needs an operand for each {}";
  }
  const char* text;
};

/// A sentence or two, in the language that is spoken (language/catalogue.h). Numbers are operands of their
/// own, so that messages that differ in nothing else are seen to be alike.
class Message {
 public:
  using Operand = std::variant<std::string, std::int64_t, AllocationName, ApiCall, OtherLine, OtherThread>;

  Message() = default;
  Message(std::string text) { add(std::move(text)); }
  Message(const char* text) { add(std::string(text)); }
  /// @param format    words with a "{}" for each operand, and no other use of braces
  /// @param operands  texts, integers, messages, or the types of Operand
  template <class... Operands>
  requires(sizeof...(Operands) > 0)
      Message(WordsFor<std::type_identity_t<Operands>...> format, Operands&&... operands) {
    Message parts[sizeof...(operands)];
    std::size_t next = 0;
    (parts[next++].add(std::forward<Operands>(operands)), ...);
    put_together(format.text, parts);
  }

  bool empty() const { return operands_.empty(); }
  const std::vector<Operand>& operands() const { return operands_; }
  std::vector<Operand>& operands() { return operands_; }
  /// Appends an operand; texts that follow each other become one.
  void add(Operand operand);
  Message& operator+=(const Message& more);

 private:
  void add(std::string text);
  void add(const char* text) { add(std::string(text)); }
  void add(const Message& message) { *this += message; }
  template <std::integral T>
  void add(T number) {
    operands_.emplace_back(std::int64_t(number));
  }
  /// Adds the words of a format's translation, and the operands where it has "{}", or "{2}" for the third.
  void put_together(const char* english, std::span<const Message> operands);
  /// @return none where the format has a place for what there is not
  static std::optional<Message> put_into(std::string_view format, std::span<const Message> operands);
  std::vector<Operand> operands_;
};

/// The first operand of a type in a message; null where it has none.
template <class T>
const T* first_operand(const Message& message) {
  for (const Message::Operand& operand : message.operands())
    if (const T* found = std::get_if<T>(&operand)) return found;
  return nullptr;
}

}  // namespace sim
