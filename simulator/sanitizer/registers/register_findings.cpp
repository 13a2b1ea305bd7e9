#include "simulator/sanitizer/registers/register_findings.h"

#include "language/catalogue.h"
#include "simulator/report/wording/words.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

void render_pending_register(Finding& f, const PendingRegister& p) {
  const std::string there = place_beside(f, p.product.file, p.product.line);
  const std::string why = p.committed ? tr("its group has not been waited for")
                                      : tr("it is in no group yet that could be waited for");
  f.claim = Message("{} {} a register at line {} that the wgmma at {} {}, and {}.",
                    p.by_product ? tr("Another wgmma") : tr("The warp"),
                    p.by_product ? tr("uses") : verb_of(f.access), f.line, there,
                    p.accumulator ? tr("still adds to") : tr("still reads as a fragment of A"), why);
  f.message = f.claim;
  f.message += Message(
      tr(" What it holds then is undefined. Where ptxas sees that, it injects a wait (C7517) and may let all "
         "products of the kernel wait for each other (C7514): right, and slow."));
  f.cure = p.committed ? Cure::wait_for_products : Cure::commit_and_wait_for_products;
  f.other = p.product;
}

void render_unfenced_register(Finding& f, const OtherParty& product, bool accumulator, bool at_write) {
  const char* const as = accumulator ? tr("as an accumulator") : tr("as a fragment of A");
  f.claim =
      at_write
          ? Message(
                "The wgmma at {} uses a register {} that line {} writes, and no wgmma.fence lies between.",
                place_beside(f, product.file, product.line), as, f.line)
          : Message(
                "The wgmma at line {} uses a register {} that is set before it, and no wgmma.fence lies "
                "between.",
                f.line, as);
  f.message = f.claim;
  f.message += Message(
      tr(" The product may take what the register held before. Where ptxas sees that, it injects the fence "
         "(C7519) "
         "and may let all products of the kernel wait for each other (C7515): right, and slow."));
  f.cure = Cure::fence_registers;
  f.other = product;
}

void render_first_product_unfenced(Finding& f) {
  f.claim =
      Message("The wgmma at line {} is the warpgroup's first, and no wgmma.fence comes before it.", f.line);
  f.message = f.claim;
  f.message += Message(
      " The first product wants one, whatever its registers hold: without it, what they are given may still "
      "be "
      "on its way.");
  f.cure = Cure::fence_registers;
}

}  // namespace sim::sanitizer
