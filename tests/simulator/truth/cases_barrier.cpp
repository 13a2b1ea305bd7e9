// Barriers that reduce, and mbarriers: one for each lane,
// in its own shared memory, so that every count is known.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

void add_reductions(std::vector<Case>& all) {
  using enum Kind;
  for (const std::string& barrier : expand("(bar,barrier){.cta}.red")) {
    const bool may_align = barrier.starts_with("barrier");
    for (const std::string& aligned : expand(may_align ? "{.aligned}" : "")) {
      for (const char* threads : {"", ", 32"}) {
        const std::string where = std::string(" 3") + threads, popc = barrier + ".popc" + aligned + ".u32";
        add_body(all, popc + where,
                 "setp.lt.s32 %p0, %a0, 0; " + popc + " %d0," + where + ", %p0; " + popc + " %d1," + where +
                     ", !%p0;",
                 {b32, b32}, {b32}, 32);
        for (const std::string& operation : expand("(.and,.or)")) {
          const std::string name = barrier + operation + aligned + ".pred";
          add_body(all, name + where,
                   "setp.eq.s32 %p0, %a0, 0; " + name + " %p1," + where + ", %p0; selp.u32 %d0, 1, 0, %p1; " +
                       name + " %p1," + where +
                       ", !%p0; @%p1 add.u32 %d0, %d0, 2; setp.lt.u32 %p0, %a0, 9; " + name + " %p1," +
                       where + ", %p0; @%p1 add.u32 %d0, %d0, 4;",
                   {b32}, {few}, 64);
        }
      }
    }
  }
}

/// How the object in shared memory is named: spaces, and generic addresses.
struct Place {
  const char *space, *address, *make;
};
constexpr Place kPlaces[] = {{".shared", "[%s+8]", ""},
                             {".shared::cta", "[%s+8]", ""},
                             {"", "[%m+8]", "cvt.u64.u32 %m, %s; cvta.shared.u64 %m, %m; "}};

/// "+ bit" for whether a predicate holds.
std::string note(const char* predicate, int bit) {
  return std::string("@") + predicate + " or.b32 %d0, %d0, " + std::to_string(1 << bit) + "; ";
}

/// Phases of arrivals: what tests say between them, and how many arrivals each state was short of.
void add_phases(std::vector<Case>& all, const Place& p, const std::string& arrive_order,
                const std::string& wait_order, const std::string& wait) {
  using enum Kind;
  const std::string space = std::string(p.space) + ".b64", at = p.address;
  const std::string arrive = "mbarrier.arrive" + arrive_order + space,
                    drop = "mbarrier.arrive_drop" + arrive_order + space,
                    test = "mbarrier." + wait + wait_order + space,
                    parity = "mbarrier." + wait + ".parity" + wait_order + space;
  const auto tests = [&](const char* state, int bit) {
    return test + " %p0, " + at + ", " + state + "; " + note("%p0", bit) + parity + " %p0, " + at + ", 0; " +
           note("%p0", bit + 1) + parity + " %p0, " + at + ", 1; " + note("%p0", bit + 2);
  };
  const std::string body =
      "{ .reg .b64 %m, %x, %y, %z; .reg .b32 %n; mov.b32 %d0, 0; " + std::string(p.make) +
      "add.u32 %n, %a0, 3; mbarrier.init" + space + " " + at + ", %n; " + arrive + " %x, " + at + "; " +
      "mbarrier.pending_count.b64 %d1, %x; " + tests("%x", 0) + "sub.u32 %n, %n, 1; " + arrive + " %y, " +
      at + ", %n; mbarrier.pending_count.b64 %d2, %y; " + tests("%x", 3) + tests("%y", 6) +
      // Second phase: one arrival drops out, and the others are one fewer from then on.
      drop + " %x, " + at + "; mbarrier.pending_count.b64 %d3, %x; " + tests("%x", 9) + arrive + " %y, " +
      at + ", %n; " + tests("%x", 12) + arrive + " %z, " + at + "; mbarrier.pending_count.b64 %d4, %z; " +
      "sub.u32 %n, %n, 1; " + arrive + " %z, " + at + ", %n; " + tests("%z", 15) + "mbarrier.inval" + space +
      " " + at + "; }";
  add_body(all, arrive + ", " + test, body, {b32, b32, b32, b32, b32}, {few}, 32);
}

/// Bytes that are expected and come.
void add_transactions(std::vector<Case>& all, const Place& p, const std::string& arrive_order) {
  using enum Kind;
  const std::string space = std::string(p.space) + ".b64", at = p.address;
  const auto test = [&](int bit) {
    return "mbarrier.test_wait.parity" + space + " %p0, " + at + ", 0; " + note("%p0", bit);
  };
  const std::string arrive = "mbarrier.arrive.expect_tx" + arrive_order + space;
  for (const std::string& order : expand("(,.relaxed.cta)")) {
    const std::string name = "mbarrier.expect_tx" + order + space,
                      done = "mbarrier.complete_tx" + order + space;
    add_body(all, arrive + ", " + name,
             "{ .reg .b64 %m, %x; .reg .b32 %n; mov.b32 %d0, 0; " + std::string(p.make) + "mbarrier.init" +
                 space + " " + at + ", 2; " + arrive + " %x, " + at +
                 ", 64; mbarrier.pending_count.b64 %d1, %x; " + test(0) + name + " " + at +
                 ", 16; mbarrier.arrive" + space + " %x, " + at + "; " + test(1) + done + " " + at +
                 ", 64; " + test(2) + "add.u32 %n, %a0, 1; sub.u32 %n, 16, %n; " + done + " " + at +
                 ", %n; " + test(3) + "add.u32 %n, %a0, 1; " + done + " " + at + ", %n; " + test(4) + "}",
             {b32, b32}, {few}, 32);
  }
}

/// Asynchronous copies that arrive when they are done.
void add_copies(std::vector<Case>& all, const Place& p) {
  using enum Kind;
  const std::string space = std::string(p.space) + ".b64", at = p.address;
  const std::string head = "{ .reg .b64 %m, %x; mov.b32 %d0, 0; " + std::string(p.make) + "mbarrier.init" +
                           space + " " + at + ", ",
                    copy = "cp.async.ca.shared.global [%s+16], [%i], 8; ",
                    wait = "L: mbarrier.test_wait.parity" + space + " %p1, " + at +
                           ", 0; @!%p1 bra L; ld.shared.b64 %d1, [%s+16]; }",
                    arrive = "cp.async.mbarrier.arrive";
  add_body(all, arrive + ".noinc" + space,
           head + "1; " + copy + arrive + ".noinc" + space + " " + at + "; " + wait, {b32, b64}, {b64}, 32);
  // Without .noinc the copy's arrival is one more: the one that was expected is still to come.
  add_body(all, arrive + space,
           head + "1; " + copy + arrive + space + " " + at +
               "; cp.async.wait_all; mbarrier.test_wait.parity" + space + " %p0, " + at + ", 0; " +
               note("%p0", 0) + "mbarrier.arrive" + space + " %x, " + at + "; " + wait,
           {b32, b64}, {b64}, 32);
}

}  // namespace

void add_barrier_cases(std::vector<Case>& all) {
  add_reductions(all);
  for (const Place& p : kPlaces) {
    for (const std::string& order :
         expand("(,.release.cta,.release.cluster,.relaxed.cta,.relaxed.cluster)")) {
      add_phases(all, p, order, "", "test_wait");
      add_transactions(all, p, order);
    }
    for (const std::string& order : expand("(.acquire.cta,.acquire.cluster,.relaxed.cta,.relaxed.cluster)"))
      add_phases(all, p, "", order, "test_wait");
    add_phases(all, p, ".release.cta", ".acquire.cta", "try_wait");
    add_phases(all, p, "", "", "try_wait");
    add_phases(all, p, ".relaxed.cta", ".relaxed.cluster", "try_wait");
    add_copies(all, p);
  }
}

}  // namespace sim::truth
