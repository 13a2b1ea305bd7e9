// The search: sections whose heading or text has all words that were typed, those with more of them in the heading first.
'use strict';
const form = document.getElementById('search'), input = form.querySelector('input'), found = document.getElementById('found');
let sections = null;

// What there is to be found is fetched when it is first needed; as a script, since a page opened as a file may fetch nothing else.
function load() {
  if (sections !== null) return;
  sections = [];
  const script = document.createElement('script');
  script.src = 'search.js';
  script.onload = () => { sections = window.ladderSections; look(); };
  document.head.append(script);
}

function look() {
  const words = input.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  found.replaceChildren();
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const hits = [];
  for (const [page, title, anchor, heading, text] of sections) {
    const head = (title + ' ' + heading).toLowerCase();
    let weight = 0;
    for (const word of words)
      weight += head.includes(word) ? 10 : (' ' + text).includes(' ' + word) ? 1 : -1000;
    if (weight > 0) hits.push({ weight, page, title, anchor, heading });
  }
  hits.sort((a, b) => b.weight - a.weight);
  for (const hit of hits.slice(0, 12)) {
    const item = document.createElement('li'), link = document.createElement('a'), where = document.createElement('span');
    link.href = hit.page + (hit.anchor ? '#' + hit.anchor : '');
    link.textContent = hit.heading || hit.title;
    where.textContent = hit.heading ? ' · ' + hit.title : '';
    link.append(where);
    item.append(link);
    found.append(item);
  }
  if (hits.length === 0) {
    const nothing = document.createElement('p');
    nothing.textContent = sections.length ? 'nothing found' : 'searching …';
    found.append(nothing);
  }
}

input.addEventListener('focus', load);
input.addEventListener('input', () => { load(); look(); });
form.addEventListener('submit', event => {
  event.preventDefault();
  const first = found.querySelector('a');
  if (first) location.href = first.href;
});
// Arrows go through what was found, / begins a search, Escape ends it.
addEventListener('keydown', event => {
  const links = [...found.querySelectorAll('a')], at = links.indexOf(document.activeElement);
  if (event.key === '/' && !event.target.matches('input')) input.focus();
  else if (event.key === 'Escape' && form.contains(event.target)) { input.value = ''; look(); input.focus(); }
  else if (event.key === 'ArrowDown' && form.contains(event.target) && links.length) links[Math.min(at + 1, links.length - 1)].focus();
  else if (event.key === 'ArrowUp' && at >= 0) (at === 0 ? input : links[at - 1]).focus();
  else return;
  event.preventDefault();
});
addEventListener('click', event => { found.hidden ||= !form.contains(event.target); });

// The page that is shown is in the middle of its list.
const contents = document.getElementById('contents'), here = contents.querySelector('[aria-current]');
if (here) contents.scrollTop = here.offsetTop - contents.offsetTop - contents.clientHeight / 2;
