// What the page does by itself: panels that are shown, keys, and fetching anew what the server says has changed.
'use strict';
const root = document.documentElement, live = root.dataset.mode === 'live';
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = id => document.getElementById(id);

// Panels. On a phone one is shown; on a wide screen lesson and source stand beside one of the results.
function show(name) {
  const panel = byId(name);
  if (!panel) return;
  root.dataset.tab = name;
  if (panel.classList.contains('result')) root.dataset.result = name;
  for (const each of all('.panel')) {
    each.classList.toggle('shown', each.id === root.dataset.tab);
    each.classList.toggle('picked', each.id === root.dataset.result);
  }
  const narrow = matchMedia('(max-width: 47.99rem)').matches;
  for (const tab of all('.tab'))
    tab.setAttribute('aria-pressed', tab.dataset.tab === (narrow ? root.dataset.tab : root.dataset.result));
}

// The map is one stop of the Tab key; arrows go from dot to dot.
function settleMap() {
  const here = document.querySelector('#map .dot[aria-current]');
  if (!here) return;
  here.tabIndex = 0;
  const map = byId('map'), group = here.parentElement;
  map.scrollLeft = group.offsetLeft - map.offsetLeft - (map.clientWidth - group.offsetWidth) / 2;
}
function moveBy(step, list, from) {
  const next = list[Math.max(0, Math.min(list.length - 1, list.indexOf(from) + step))];
  if (!next || next === from) return;
  from.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
const kSteps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
addEventListener('keydown', event => {
  const from = event.target, step = kSteps[event.key];
  if (event.key === 'Enter' && from.matches('#lesson .picture')) return enlarge(from);
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  if (from.matches('#map button')) moveBy(step, all('#map button'), from);
  else if (from.matches('.line button')) moveBy(step, all('.line button'), from);
  else if (from.matches('.tab')) {
    const tabs = all('.tab').filter(tab => tab.offsetParent);
    tabs[(tabs.indexOf(from) + step + tabs.length) % tabs.length].focus();
  } else return;
  event.preventDefault();
});

function aimAt(line) {
  all('.line.aim').forEach(each => each.classList.remove('aim'));
  const button = byId('source').querySelector(`.line button[data-line="${line}"]`);
  if (!button) return;
  show('source');
  button.parentElement.classList.add('aim');
  button.parentElement.scrollIntoView({ block: 'center' });
}

let toastTimer;
function toast(text) {
  clearTimeout(toastTimer);
  byId('toast').textContent = text;
  toastTimer = setTimeout(() => { byId('toast').textContent = ''; }, 8000);
}

// What changes something is a POST with a header of our own, which no other site can send.
async function ask(what) {
  const answer = await fetch(what, { method: 'POST', headers: { 'X-Ladder': '1' } });
  const text = await answer.text();
  if (text) toast(text);
}

addEventListener('click', event => {
  const at = event.target;
  const figure = at.closest('.figure h3 a');
  if (figure) {
    event.preventDefault();
    return aimAt(figure.hash.replace(/^.*l/, ''));
  }
  const picture = at.closest('#lesson .picture');
  if (picture) return enlarge(picture);
  const tab = at.closest('.tab');
  if (tab) return show(tab.dataset.tab);
  const dot = at.closest('[data-go]');
  if (dot && live) return ask('go?rung=' + encodeURIComponent(dot.dataset.go));
  const order = at.closest('[data-do]');
  if (order && live) return ask(order.dataset.do);
  const line = at.closest('.line, button[data-line]');
  if (!line || String(getSelection())) return;
  const number = line.dataset.line || line.querySelector('button').dataset.line;
  if (live) ask('open?line=' + number);
  else if (line.matches('button')) aimAt(number);
});

// A picture of the lesson, as large as it is drawn, over the page.
function enlarge(picture) {
  const over = document.createElement('dialog');
  over.append(picture.querySelector('img').cloneNode());
  over.addEventListener('click', () => over.close());
  over.addEventListener('close', () => { over.remove(); picture.focus({ preventScroll: true }); });
  document.body.append(over);
  over.showModal();
}

addEventListener('submit', async event => {
  event.preventDefault();
  const form = event.target, value = form.querySelector('input').value;
  if (form.dataset.bytes) {
    const answer = await fetch(`whatif?step=${4 * value}&bytes=${form.dataset.bytes}`);
    form.nextElementSibling.innerHTML = answer.ok ? await answer.text() : root.dataset.limits.replace('{most}', 16384);
  } else if (live) ask(`predict?rung=${form.dataset.rung}&at=${form.dataset.at}&value=${encodeURIComponent(value)}`);
});

// Where lanes go through shared memory by one step, another step can be tried: the width of a padded row.
function offerSteps() {
  for (const picture of all('#lens [data-step]')) {
    const step = picture.dataset.step / 4;
    const form = document.createElement('form');
    form.className = 'whatif';
    form.dataset.bytes = picture.dataset.bytes;
    form.innerHTML = `<label>${root.dataset.apart.replace('{words}', step)}
      <input type="number" min="1" max="16384" value="${step + 1}"></label> <button>${root.dataset.try}</button>`;
    const result = document.createElement('div');
    result.setAttribute('role', 'status');
    // What is said of the picture above stays with it.
    const said = picture.nextElementSibling;
    (said && said.matches('.use') ? said : picture).after(form, result);
  }
}

// A line that a pointer rests on, or that has the focus, marks its pictures under the lens.
function markFigures(event) {
  const line = event.target.closest && event.target.closest('.line');
  const number = line && line.querySelector('button').dataset.line;
  for (const figure of all('#lens .figure')) {
    const link = figure.querySelector('h3 a');
    figure.classList.toggle('aim', !!link && !!number && link.hash.replace(/^.*l/, '') === number);
  }
}
addEventListener('mouseover', markFigures);
addEventListener('focusin', markFigures);

// What the server says has changed is fetched anew; folded parts and the place one reads at stay as they are.
const shownHtml = new Map(), asked = new Map();
async function renew(name) {
  const mine = (asked.get(name) || 0) + 1;
  asked.set(name, mine);
  const place = name === 'map' || name === 'status' ? byId(name) : byId(name).firstElementChild;
  const answer = await fetch('panel/' + name);
  if (!answer.ok) return;
  const html = await answer.text();
  if (mine !== asked.get(name)) return;  // answers may overtake each other: the last question's counts
  if (shownHtml.get(name) === html) return;
  shownHtml.set(name, html);
  const open = all('details[open] > summary', place).map(each => each.textContent);
  const focus = document.activeElement && place.contains(document.activeElement) ? selectorOf(document.activeElement) : '';
  const typed = all('form[data-rung]', place).map(form => [selectorOf(form.querySelector('input')), form.querySelector('input').value]);
  place.innerHTML = html;
  for (const [box, value] of typed) {
    const again = place.querySelector(box);
    if (again && value) again.value = value;
  }
  for (const summary of all('details > summary', place))
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  if (name === 'map') settleMap();
  const found = name === 'source' && place.querySelector('.line.bad');
  if (found) found.scrollIntoView({ block: 'nearest' });
  if (name === 'lens' && live) offerSteps();
  localTimes();
  if (focus && place.querySelector(focus)) place.querySelector(focus).focus();
}
function selectorOf(element) {
  const form = element.closest('form[data-rung]');
  if (form) return `form[data-rung="${form.dataset.rung}"][data-at="${form.dataset.at}"] ${element.localName}`;
  for (const key of ['go', 'line', 'do']) if (element.dataset[key]) return `[data-${key}="${element.dataset[key]}"]`;
  return '';
}
function localTimes() {
  for (const time of all('time')) time.textContent = new Date(time.dateTime).toLocaleString();
}

function listen() {
  const events = new EventSource('events');
  let lost = false;
  events.addEventListener('panels', event => event.data.split(' ').forEach(renew));
  events.addEventListener('rung', event => {
    const title = document.querySelector('header .rung');
    if (title.textContent === event.data) return;
    title.textContent = event.data;
    document.title = event.data + ' · CUDA Ladder';
    all('.panel').forEach(panel => { panel.scrollTop = 0; });
  });
  events.addEventListener('error', () => {
    lost = true;
    byId('status').textContent = root.dataset.ended;
  });
  events.addEventListener('open', () => {
    if (!lost) return;
    lost = false;
    all('.panel').forEach(panel => renew(panel.id));
    renew('map');
    renew('status');
  });
}

const box = document.createElement('div');
box.id = 'toast';
box.setAttribute('role', 'status');
document.body.append(box);
show('verdict');
if (matchMedia('(max-width: 47.99rem)').matches) show('lesson');
matchMedia('(max-width: 47.99rem)').addEventListener('change', () => { show(root.dataset.tab); settleMap(); });
settleMap();
localTimes();
if (live) {
  offerSteps();
  listen();
}
