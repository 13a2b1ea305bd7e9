#include "simulator/instructions/control/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "simulator/engine/access/access.h"

namespace sim::exec {

namespace {

/// A lane's argument: bytes of the caller's .param variable.
template <class T>
T argument(const Warp& w, const Area& area, int lane, u32 offset = 0) {
  T value{};
  std::memcpy(&value, w.bank[0] + area.offset + u32(lane) * area.stride + offset, sizeof value);
  return value;
}
template <class T>
void give_result(const Warp& w, const CallDetail& call, int lane, T value) {
  if (call.results.empty()) return;
  const Area& area = call.results.front();
  std::memcpy(w.bank[0] + area.offset + u32(lane) * area.stride, &value,
              std::min<std::size_t>(area.stride, sizeof value));
}

std::byte* bytes_at(Warp& w, u64 address, int lane, u32 bytes) {
  const AccessInfo info{*w.current, ptx::Space::generic, Access::read, bytes};
  return resolve_lane(w, info, address, lane);
}

std::string text_at(Warp& w, u64 address, int lane) {
  std::string text;
  for (;; ++address) {
    const char c = char(*bytes_at(w, address, lane, 1));
    if (c == 0) return text;
    text += c;
  }
}

constexpr s32 kWidest = 400;          ///< columns of one conversion
constexpr std::size_t kLongest = 12;  ///< characters of one, such as "%-+#10.400"

/// One lane's printf: conversions take 8-byte slots for 64-bit values and doubles, 4-byte slots for the rest.
std::string formatted(Warp& w, int lane, const std::string& format, u64 arguments) {
  std::string out;
  u64 at = arguments;
  const auto take = [&](u32 bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    u64 bits = 0;
    std::memcpy(&bits, bytes_at(w, at, lane, bytes), bytes);
    at += bytes;
    return bits;
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    int longs = 0;
    for (++i; i < format.size() && !std::isalpha(static_cast<unsigned char>(format[i])) && format[i] != '%';
         ++i) {
      spec += format[i] == '*' ? std::to_string(std::clamp(s32(take(4)), -kWidest, kWidest))
                               : std::string(1, format[i]);
    }
    if (spec.size() > kLongest) return out;  // no sensible width or precision
    for (; i < format.size() &&
           (format[i] == 'l' || format[i] == 'h' || format[i] == 'z' || format[i] == 'j' || format[i] == 't');
         ++i) {
      longs += format[i] == 'h' ? 0 : format[i] == 'l' ? 1 : 2;
    }
    if (i >= format.size()) break;
    const char kind = format[i];
    char buffer[512];
    int n = 0;
    if (kind == '%') {
      out += '%';
    } else if (std::strchr("diouxXc", kind) != nullptr) {
      const u64 bits = take(longs > 0 ? 8 : 4);
      spec += std::string("ll") + kind;
      const bool is_signed = kind == 'd' || kind == 'i';
      if (kind == 'c') {
        out += char(bits);
      } else {
        n = std::snprintf(buffer, sizeof buffer, spec.c_str(),
                          longs > 0 || !is_signed ? s64(bits) : s64(s32(bits)));
      }
    } else if (std::strchr("eEfFgGaA", kind) != nullptr) {
      n = std::snprintf(buffer, sizeof buffer, (spec + kind).c_str(), std::bit_cast<f64>(take(8)));
    } else if (kind == 's') {
      const u64 text = take(8);
      n = std::snprintf(buffer, sizeof buffer, (spec + "s").c_str(),
                        text == 0 ? "(null)" : text_at(w, text, lane).c_str());
    } else if (kind == 'p') {
      n = std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(take(8)));
    }
    out.append(buffer, std::size_t(std::min<int>(std::max(n, 0), sizeof buffer - 1)));
  }
  return out;
}

void print(Warp& w, const CallDetail& call) {
  for_each_lane(w.active, [&](int lane) {
    const u64 format = argument<u64>(w, call.arguments[0], lane),
              arguments = argument<u64>(w, call.arguments[1], lane);
    const std::string text = formatted(w, lane, text_at(w, format, lane), arguments);
    std::fwrite(text.data(), 1, text.size(), stdout);
    give_result<s32>(w, call, lane, s32(text.size()));
  });
}

void allocate(Warp& w, const CallDetail& call) {
  for_each_lane(w.active, [&](int lane) {
    u64 address = 0;
    try {
      address = w.worker->space
                    .allocate(argument<u64>(w, call.arguments[0], lane), memory::Kind::device,
                              fmt::format("malloc in {}", w.worker->code.kernel->name))
                    ->base;
    } catch (const std::bad_alloc&) {  // a null pointer, as on the device
    }
    give_result(w, call, lane, address);
  });
}

void release(Warp& w, const CallDetail& call) {
  for_each_lane(w.active, [&](int lane) {
    const u64 address = argument<u64>(w, call.arguments[0], lane);
    if (address == 0) return;
    memory::Allocation* found = w.worker->space.find_base(address);
    if (found == nullptr || found->freed) {
      fail(w, *w.current, lane, FindingKind::free,
           Message("free() of {}.", w.worker->space.describe(address).words));
    }
    w.worker->space.free(found);
  });
  for (Site& site : w.worker->sites) site.size = 0;  // none may remember what is gone
}

void assertion_failed(Warp& w, const CallDetail& call) {
  const int lane = first_lane(w.active);
  const auto text = [&](std::size_t i) {
    return text_at(w, argument<u64>(w, call.arguments[i], lane), lane);
  };
  const Message message("{}:{}: {}: Assertion `{}` failed.", text(1),
                        argument<u32>(w, call.arguments[2], lane), text(3), text(0));
  fail(w, *w.current, lane, FindingKind::assert, message);
}

}  // namespace

Builtin find_builtin(std::string_view name, const CallDetail& call) {
  const std::size_t given = call.arguments.size();  // 8 bytes each at least: areas are rounded up
  if (name == "vprintf" && given >= 2) return &print;
  if (name == "malloc" && given >= 1) return &allocate;
  if (name == "free" && given >= 1) return &release;
  if (name == "__assertfail" && given >= 4) return &assertion_failed;
  return nullptr;
}

}  // namespace sim::exec
