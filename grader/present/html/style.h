// How the report looks: light and dark, narrow and wide, on paper.
#pragma once

namespace ladder::cli {

inline constexpr const char* kReportStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #57606a; --rule: #d0d7de; --panel: #f6f8fa;
  --good: #1a7f37; --bar: #3b7dd8; --used: #2da44e; --several: #8250df; --wasted: #f0b429; --on: #fff; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9aa4ae; --rule: #30363d;
  --panel: #161b22; --good: #3fb950; --bar: #4d8fe6; --used: #238636; --several: #8957e5; --wasted: #9e6a03;
  --link: #79c0ff; } .roofline svg { filter: invert(1) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.3rem 0 .3rem; } h4 { font-size: .95rem; margin: .9rem 0 .2rem; }
p { margin: .3rem 0; } .faint { color: var(--faint); } a { color: var(--link); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999px; } .skip:focus { position: static; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; } caption { text-align: left; color: var(--faint); }
.number + td, .number + th { padding-left: .8rem; }
th, td { text-align: left; padding: .22rem .5rem .22rem 0; border-bottom: 1px solid var(--rule); vertical-align: baseline; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.marks { letter-spacing: .1em; white-space: nowrap; } .done { color: var(--good); font-weight: 600; }
progress { width: 7rem; max-width: 25vw; accent-color: var(--good); }
figure { margin: .5rem 0; padding: .6rem; border: 1px solid var(--rule); border-radius: 6px; background: var(--panel); }
figcaption { color: var(--faint); font-size: .9rem; } .scroll { overflow-x: auto; }
svg.chart { display: block; width: 100%; max-width: 32rem; height: auto; }
svg.chart text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg.chart .tick { fill: var(--faint); font-size: 11px; }
svg .bar { fill: var(--bar); } svg .grid { stroke: var(--rule); fill: none; }
svg .spread { stroke: var(--ink); stroke-width: 1.5; fill: none; }
.roofline svg { width: 100%; min-width: 40rem; height: auto; border-radius: 4px; }
.lens svg text { font: 10px ui-monospace, monospace; fill: var(--faint); } .lens svg .letter { fill: var(--on); text-anchor: middle; }
.lens svg .used { fill: var(--used); } .lens svg .several { fill: var(--several); } .lens svg .wasted { fill: var(--wasted); opacity: .45; }
.lens svg .untouched { fill: none; stroke: var(--rule); } .lens svg .label { text-anchor: end; } .lens svg .off { fill: var(--rule); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; } dt { font-weight: 600; } dd { margin: 0 0 .4rem; overflow-wrap: anywhere; }
@media (max-width: 34rem) { body { padding: .8rem; font-size: 15px; } .wide { display: none; } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --faint: #333; --rule: #999; --panel: #fff; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } nav, .skip { display: none; } a { color: inherit; }
  figure, tr, div.scroll { break-inside: avoid; } h2, h3, h4 { break-after: avoid; } .scroll { overflow: visible; }
  .roofline svg { min-width: 0; filter: none; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

}  // namespace ladder::cli
