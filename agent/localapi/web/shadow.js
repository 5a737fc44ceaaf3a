// The shadows: what is wanted, what was reported, and the difference.

import { byId, el, say, set, show } from './dom.js';
import { t, word } from './text.js';

const cards = new Map();

export function drawShadow(told) {
  const chip = byId('cloud');
  show(chip, told.configured);
  say(chip, t(told.connected ? 'cloud.here' : 'cloud.away'));
  set(chip, 'data-live', told.connected ? 'live' : 'lost');
  show(byId('no-shadow'), !told.configured && told.shadows.length === 0);
  const away = told.configured && !told.connected; // nobody knows what is desired now
  show(byId('old-shadow'), away);
  const kept = new Set();
  for (const document of told.shadows) {
    kept.add(document.name);
    const card = cards.get(document.name) ?? add(document.name);
    update(card, document, away);
  }
  for (const [name, card] of cards) {
    if (kept.has(name)) continue;
    card.node.remove();
    cards.delete(name);
  }
}

function add(name) {
  const card = { version: el('span', { class: 'version' }), sync: el('span', { class: 'chip sync' }), parts: {} };
  const columns = ['desired', 'reported', 'delta'].map((part) => {
    card.parts[part] = el('pre', { tabindex: '0', 'aria-label': t(`shadow.${part}`) });
    return el('div', {}, el('h4', {}, t(`shadow.${part}`)), card.parts[part]);
  });
  card.node = el('details', { class: 'card shadow', 'data-shadow': name || 'classic' },
    el('summary', {}, el('h3', {}, name || t('shadow.gateway')), card.version, el('span', { class: 'spring' }), card.sync),
    el('div', { class: 'columns' }, columns));
  card.node.open = name === '' && matchMedia('(min-width: 60rem)').matches;
  cards.set(name, card);
  byId('shadow-list').append(card.node);
  return card;
}

function update(card, document, away) {
  set(card.node, 'data-version', document.version);
  set(card.node, 'data-sync', document.sync);
  say(card.version, t('shadow.version', { version: document.version, updates: document.updates }));
  say(card.sync, word('sync', document.sync));
  set(card.sync, 'data-sync', away ? 'old' : document.sync);
  for (const [part, node] of Object.entries(card.parts)) {
    const value = document.state[part];
    say(node, Object.keys(value).length === 0 ? t('shadow.empty') : JSON.stringify(value, null, 2));
  }
}
