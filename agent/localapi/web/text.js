// The words that people read. They stand in text/, one file a language; what to do
// about a fault comes from the gateway's own dictionary of error codes.

import { say, set } from './dom.js';

const KEY = 'hoistway.lang';
const SPOKEN = ['en', 'zh'];
const ANSWER_WITHIN = 10000; // ms
const TAG = { en: 'en', zh: 'zh-Hans' };

export let lang = 'en';
let texts = {};
let codes = {}; // E-code → { fault, title, do }
let reasons = []; // English reasons of the gateway as patterns

// A browser may forbid storage; then the choice lasts as long as the page.
function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function speak(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch { /* the choice is for this page only */ }
  location.reload();
}

function chosen() {
  const wishes = [remembered(), ...(navigator.languages ?? [navigator.language])];
  return wishes.map((tag) => (tag ?? '').toLowerCase().split('-')[0]).find((tag) => SPOKEN.includes(tag)) ?? 'en';
}

async function read(file) {
  const answer = await fetch(`/web/text/${file}.json`, { signal: AbortSignal.timeout(ANSWER_WITHIN) });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

// loadTexts reads the words and puts those of the page itself in their places. It throws
// where they do not come.
export async function loadTexts() {
  lang = chosen();
  const [own, english, dictionary] = await Promise.all([read(lang), read('en'), read(`codes-${lang}`)]);
  texts = own;
  codes = dictionary;
  reasons = Object.entries(english).filter(([key]) => key.startsWith('why.')).map(([key, words]) => pattern(key, words));
  document.documentElement.lang = TAG[lang];
  for (const node of document.querySelectorAll('[data-text]')) say(node, t(node.dataset.text));
  for (const node of document.querySelectorAll('[data-label]')) set(node, 'aria-label', t(node.dataset.label));
}

// t gives the words of a key, with its {places} filled.
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

// word gives the words of one value of a kind; a value that is new to this page is
// shown as it came.
export function word(kind, value) {
  return texts[`${kind}.${value}`] ?? String(value ?? '');
}

// phrase words what the gateway says in a few words of its own, like "front open", or
// in a reason within a reason. What a person typed stays as it came.
export function phrase(given) {
  const words = String(given ?? '');
  const each = words.split(' ').map((one) => texts[`value.${one}`]);
  return told(words) ?? (each.includes(undefined) ? words : each.join(' '));
}

// lacks words what a permit lacks, of parts with what is seen of each.
export const lacks = (parts) => parts.map(({ part, seen }) => `${word('part', part)} ${phrase(seen || 'unknown')}`).join(t('join.comma'));

// What fills a place is words of any kind, but a name is one and a time a length of time.
const NAME = '(\\S+?)';
const FORM = { time: '([\\d.hmsµn ]+)', lift: NAME, other: NAME, robot: NAME };
const FILL = {
  signal: (given) => word('signal', given),
  where: (given) => word('where', given),
  state: (given) => word('state', given),
  parts: (given) => lacks(given.split(', ').map((each) => /^(?<part>\S+) ?(?<seen>.*)$/.exec(each).groups)),
};

function pattern(key, words) {
  const names = [];
  const form = words.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, (_, name) => {
    names.push(name);
    return FORM[name] ?? '(.+)';
  });
  return { key, names, form: new RegExp(`^${form}$`) };
}

// why words a reason. The gateway gives reasons in English; one that is not known
// here stays as it came.
export function why(reason) {
  return (reason ?? '').split('; ').map(oneReason).join(t('join.semicolon'));
}

const oneReason = (reason) => told(reason) ?? reason;

// told words a reason that is known here, and gives null for another.
function told(reason) {
  const [, code, rest] = /^([A-Z][A-Z_]+(?::\S+)?)(?:: (.*))?$/.exec(reason) ?? [];
  if (code && about(code)) return rest ? about(code).title + t('join.colon') + oneReason(rest) : about(code).title;
  for (const { key, names, form } of reasons) {
    const found = form.exec(reason);
    if (found) return t(key, Object.fromEntries(names.map((name, i) => [name, (FILL[name] ?? phrase)(found[i + 1])])));
  }
  return null;
}

// about explains an error code (E-5004) or a fault code (WAIT_TIMEOUT, VENDOR:0x21).
export function about(code) {
  const name = String(code ?? '');
  if (codes[name]) return { code: name, ...codes[name] };
  const fault = name.split(':')[0];
  const found = Object.entries(codes).find(([, entry]) => entry.fault && entry.fault === fault);
  return found ? { code: found[0], ...found[1] } : null;
}

// span words a length of time: 4 s, 3 min, 2 h.
export function span(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 90) return t('age.s', { n: s });
  if (s < 5400) return t('age.min', { n: Math.round(s / 60) });
  if (s < 172800) return t('age.h', { n: Math.round(s / 3600) });
  return t('age.days', { n: Math.floor(s / 86400) });
}
