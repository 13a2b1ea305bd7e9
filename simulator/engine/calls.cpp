// Frames: entering device functions and coming back, lane by lane if need be.
#include <algorithm>
#include <cstring>

#include "language/catalogue.h"
#include "simulator/engine/block.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/schedule.h"

namespace sim::exec {

namespace {

constexpr u32 kDeepest = 4096;  ///< calls within each other: what functions without local variables may nest

void copy_areas(const Frame& from, const Area& source, const Frame& to, const Area& target, Mask lanes) {
  const u32 bytes = std::min(source.stride, target.stride);
  if (lanes == kAllLanes && source.stride == target.stride) {  // one column each
    std::memcpy(to.registers + target.offset, from.registers + source.offset, bytes * kLanes);
    return;
  }
  for_each_lane(lanes, [&](int i) {
    std::memcpy(to.registers + target.offset + u32(i) * target.stride,
                from.registers + source.offset + u32(i) * source.stride, bytes);
  });
}

Frame& new_frame(Warp& w, const FunctionCode& function) {
  for (auto& a : w.activations) {
    if (a->frame.inside == 0 && a->bytes >= function.frame_bytes) {
      a->frame = {};
      a->frame.registers = a->memory.get();
      return a->frame;
    }
  }
  w.activations.push_back(std::make_unique<Activation>());
  Activation& fresh = *w.activations.back();
  fresh.bytes = (function.frame_bytes + 1023) / 1024 * 1024;
  fresh.memory = aligned_bytes(fresh.bytes);
  fresh.frame.registers = fresh.memory.get();
  return fresh.frame;
}

}  // namespace

void enter_function(Warp& w, const CallDetail& call, u32 function, Mask lanes) {
  const Code& code = w.worker->code;
  const FunctionCode& callee = code.functions[function];
  Frame& caller = *w.frame;
  Frame* frame = nullptr;
  // Lanes that come later join those which the same call has already taken inside, so that
  // they can meet there.
  for (const auto& a : w.activations) {
    const Frame& f = a->frame;
    if (f.inside != 0 && f.caller == &caller && f.call == &call && f.function == &callee) frame = &a->frame;
  }
  if (frame == nullptr) {
    frame = &new_frame(w, callee);
    frame->function = &callee;
    frame->caller = &caller;
    frame->return_pc = w.pc;
    frame->call = &call;
    frame->local_base = caller.local_base + caller.function->local_bytes;
    frame->depth = caller.depth + 1;
    std::memset(frame->registers, 0, callee.frame_bytes);
  }
  frame->inside |= lanes;
  if (code.allocates) {
    for_each_lane(lanes, [&](int i) { frame->on_stack[std::size_t(i)] = w.on_stack[std::size_t(i)]; });
  }
  if (frame->depth > kDeepest || frame->local_base + callee.local_bytes > code.local_stride) {
    const Instr& in = code.instructions[code.blocks[w.pc - 1].last - 1];
    fail(w, in, first_lane(lanes), FindingKind::out_of_bounds,
         tr("The stack of a thread overflows: the recursion is too deep."), {.space = MemorySpace::local});
  }
  if (code.deep()) poison_locals(w, *frame, lanes);
  const std::size_t count = std::min(call.arguments.size(), callee.params.size());
  for (std::size_t i = 0; i < count; ++i) {
    copy_areas(caller, call.arguments[i], *frame, callee.areas[callee.params[i]], lanes);
  }
  w.frame = frame;
  w.bank[0] = frame->registers;
  w.pc = callee.entry;
}

void return_to_caller(Warp& w, const Instr&, Mask lanes) {
  Frame& frame = *w.frame;
  Frame& caller = *frame.caller;
  const FunctionCode& callee = *frame.function;
  const std::size_t count = std::min(frame.call->results.size(), callee.results.size());
  for (std::size_t i = 0; i < count; ++i) {
    copy_areas(frame, callee.areas[callee.results[i]], caller, frame.call->results[i], lanes);
  }
  frame.inside &= ~lanes;
  if (w.worker->code.allocates) {  // what the function allocated on its stack ends with it
    for_each_lane(lanes, [&](int i) { w.on_stack[std::size_t(i)] = frame.on_stack[std::size_t(i)]; });
  }
  if (lanes != w.active) {  // the guard keeps some inside
    w.waiting.push_back({w.pc, w.active & ~lanes, w.frame, Wait::none, 0, 0, nullptr});
    w.attention = true;
  }
  w.active = lanes;
  w.pc = frame.return_pc;
  w.frame = &caller;
  w.bank[0] = caller.registers;
}

}  // namespace sim::exec
