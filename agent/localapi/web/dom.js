// Small helpers. Text goes in as text only: nothing here reads markup.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) set(node, key, value);
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

// set writes an attribute only when it changes; null and false take it away.
export function set(node, key, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(key)) node.removeAttribute(key);
    return;
  }
  const word = value === true ? '' : String(value);
  if (node.getAttribute(key) !== word) node.setAttribute(key, word);
}

export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// say writes text only when it changes, so that screen readers and selections rest.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, yes) {
  if (node.hidden === yes) node.hidden = !yes;
}
