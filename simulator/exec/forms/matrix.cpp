// Tensor-core instructions: wmma load, store and mma; mma.sync; ldmatrix and stmatrix.
#include "simulator/exec/forms/matrix.h"

#include <cstdio>
#include <string>

#include "simulator/exec/forms/families.h"

namespace sim::exec {

/// "m16n8k16" among the qualifiers.
bool shape_of(const Binding& b, int& m, int& n, int& k) {
  for (const std::string& q : b.source.qualifiers)
    if (std::sscanf(q.c_str(), "m%dn%dk%d", &m, &n, &k) == 3) return true;
  return false;
}

std::vector<Element> elements_written(const Binding& b) {
  std::vector<Element> found;
  for (const std::string& q : b.source.qualifiers)
    if (Element e; element_of(q, e)) found.push_back(e);
  return found;
}

namespace {

Form& wide_form(Forms& forms, const std::string& pattern, std::vector<OperandSpec> operands, Binder bind) {
  Form& form = forms.custom(pattern, std::move(operands), bind);
  form.wide = true;
  form.flow = Flow::meet;
  return form;
}

}  // namespace

void declare_matrix(Forms& forms) {
  forms.family("matrix");
  // Fragments are registers of 32 or 64 bits whatever their elements are: vectors of any length, of any type.
  const OperandSpec to{Role::write, ptx::Type::b32, 0, false, true},
      from{Role::read, ptx::Type::b32, 0, false, true};
  const OperandSpec address{Role::address}, stride{Role::read, ptx::Type::u32, 1, true};
  const std::string shape =
      "(.m16n16k16,.m8n32k16,.m32n8k16,.m16n16k8,.m8n8k4,.m16n8k4,.m16n8k8,.m16n8k16,.m16n8k32,.m8n8k16,."
      "m8n8k32,"
      ".m8n8k128,.m16n8k64,.m16n8k128,.m16n8k256)";
  const std::string element = "(.f16,.bf16,.tf32,.f32,.f64,.e4m3,.e5m2,.s8,.u8,.s4,.u4,.b1,.s32)",
                    layout = "(.row,.col)";
  const std::string space = "{.global,.shared,.shared::cta}";
  wide_form(forms, "wmma.load(.a,.b,.c).sync.aligned" + layout + shape + space + element,
            {to, address, stride}, &bind_tile_load);
  wide_form(forms, "wmma.store.d.sync.aligned" + layout + shape + space + element, {address, from, stride},
            &bind_tile_store);
  const std::string all = element + element + element + element;
  for (const std::string& types : {element + element, all}) {
    wide_form(
        forms,
        "wmma.mma{.xor,.and}{.popc}.sync.aligned" + layout + layout + shape + types + "{.rn}{.satfinite}",
        {to, from, from, from}, &bind_multiply);
  }
  wide_form(forms, "mma.sync.aligned" + shape + layout + layout + "{.satfinite}" + all + "{.xor,.and}{.popc}",
            {to, from, from, from}, &bind_multiply);
  const OperandSpec word{Role::read, ptx::Type::u32};
  wide_form(forms, "mma(.sp,.sp::ordered_metadata).sync.aligned" + shape + ".row.col{.satfinite}" + all,
            {to, from, from, from, word, word}, &bind_multiply);
  wide_form(forms, "movmatrix.sync.aligned.m8n8.trans.b16", {word, word}, &bind_matrix_transpose)
      .operands[0]
      .role = Role::write;
  wide_form(forms, "ldmatrix.sync.aligned.m8n8(.x1,.x2,.x4){.trans}{.shared,.shared::cta}.b16", {to, address},
            &bind_matrix_load);
  wide_form(forms, "stmatrix.sync.aligned.m8n8(.x1,.x2,.x4){.trans}{.shared,.shared::cta}.b16",
            {address, from}, &bind_matrix_store);
}

}  // namespace sim::exec
