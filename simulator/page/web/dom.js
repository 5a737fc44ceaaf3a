// Nodes, made and changed with text as text: no word from outside becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

// set leaves an attribute alone that is right already. null and false take it away.
export function set(node, name, value) {
  if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
    return;
  }
  const word = value === true ? '' : String(value);
  if (node.getAttribute(name) !== word) node.setAttribute(name, word);
}

// say leaves text alone that is right already, so that a selection in it rests.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, yes) {
  set(node, 'hidden', !yes);
}

// keyed keeps one node for each item, in the order of the items. make(item) gives
// an object with a node; change(kept, item) brings it up to date.
export function keyed(parent, kept, items, keyOf, make, change) {
  const seen = new Set();
  items.forEach((item, place) => {
    const key = keyOf(item);
    if (seen.has(key)) return;
    seen.add(key);
    let each = kept.get(key);
    if (!each) {
      each = make(item);
      kept.set(key, each);
    }
    if (parent.children[place] !== each.node) parent.insertBefore(each.node, parent.children[place] ?? null);
    change(each, item);
  });
  for (const [key, each] of kept) {
    if (seen.has(key)) continue;
    each.node.remove();
    kept.delete(key);
  }
}

// clock words a time of a run: 1:04.2, or 2:01:04.2 from an hour on.
export function clock(ms) {
  const tenths = Math.floor(Math.max(ms, 0) / 100);
  const pad = (n) => String(n).padStart(2, '0');
  const s = Math.floor(tenths / 10);
  const hours = Math.floor(s / 3600);
  const tail = `${pad(s % 60)}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${pad(Math.floor(s / 60) % 60)}:${tail}` : `${Math.floor(s / 60)}:${tail}`;
}

// span words a length of time for people: 4.2 s, 3 min.
export function span(ms) {
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 6_000_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}
