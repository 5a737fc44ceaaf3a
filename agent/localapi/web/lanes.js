// A ride's flight record as lanes over one axis of time: bars for what lasts, ticks
// for what happens. Nothing is drawn where the record says nothing.

import { el, svg } from './dom.js';
import { about, lacks, span, t, why, word } from './text.js';

const ROW = 22;
const GAP = 4;
const AXIS = 20;
const LETTER = { latin: 6.2, han: 11 };
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]; // s between two marks
const APART = 56; // px at least

const side = (item) => word('value', item.side);

// lanes: how each kind of item is worded and classed. point: it has no length.
const LANES = [
  { name: 'state', word: (i) => t('item.state', { state: word('state', i.state), phase: word('phase', i.phase) }), short: (i) => word('phase', i.phase), kind: (i) => i.state, more: (i) => why(i.why) },
  { name: 'robot', word: (i) => word('where', i.where), kind: (i) => i.where },
  { name: 'permit', word: (i) => (i.status === 'granted' ? t('item.permit', { kind: word('permit', i.kind), floor: i.floor, side: side(i) }) : t('item.withheld', { missing: lacks(i.missing) })), kind: (i) => i.status,
    short: (i) => word('permit', i.kind) },
  { name: 'commands', word: (i) => t('item.command', { verb: word('verb', i.verb), floor: [i.floor, i.to].filter(Boolean).join('→'), side: i.side ? side(i) : '', result: word('result', i.result) }), kind: (i) => i.result,
    short: (i) => word('verb', i.verb), more: (i) => [why(i.reason), why(i.detail)].filter(Boolean).join(t('join.comma')) },
  { name: 'door', by: 'side', word: (i) => t('item.door', { side: side(i), door: word('value', i.door) }), short: (i) => word('value', i.door), kind: (i) => i.door },
  { name: 'floor', word: (i) => i.floor || word('value', 'unknown'), kind: (i) => (i.floor ? 'known' : 'unknown') },
  { name: 'motion', word: (i) => word('value', i.motion), kind: (i) => i.motion },
  { name: 'lift', word: (i) => t('item.lift', { link: word('value', i.link), mode: word('value', i.mode) }), kind: (i) => (i.link === 'online' ? i.mode : i.link) },
  { name: 'signals', point: true, word: (i) => t('item.signal', { kind: word('signal', i.kind), where: word('where', i.where) }), kind: () => 'signal' },
  { name: 'orders', point: true, word: (i) => t('item.order', { who: i.who, what: i.what, result: i.result }), kind: () => 'order', more: (i) => why(i.detail) },
  { name: 'alarms', word: (i) => [about(i.code)?.title ?? i.code, why(i.detail)].filter(Boolean).join(' '), kind: () => 'alarm' },
  { name: 'frames', point: true, word: (i) => t(i.out ? 'item.frame_out' : 'item.frame_in', { n: i.bytes, hex: i.hex }), kind: (i) => (i.out ? 'out' : 'in'), more: (i) => i.note },
  { name: 'notes', point: true, word: (i) => (i.lost ? t('item.gap', { n: i.lost }) : i.text), kind: (i) => i.kind },
];

// rows splits the lanes that have something, a door lane by its side.
function rows(record) {
  return LANES.flatMap((lane) => {
    const items = record.lanes[lane.name] ?? [];
    if (items.length === 0) return [];
    if (!lane.by) return [{ lane, items, label: t(`lane.${lane.name}`) }];
    const parts = [...new Set(items.map((item) => item[lane.by]))];
    const label = (part) => (parts.length > 1 ? `${t(`lane.${lane.name}`)} ${word('value', part)}` : t(`lane.${lane.name}`));
    return parts.map((part) => ({ lane, items: items.filter((item) => item[lane.by] === part), label: label(part) }));
  });
}

const fits = (words, room) => [...words].reduce((sum, c) => sum + (c > '\u2e7f' ? LETTER.han : LETTER.latin), 8) <= room;
const after = (ms) => t('ride.after', { s: (ms / 1000).toFixed(1) });

function titled(lane, item) {
  const more = lane.more?.(item);
  return `${after(item.t_ms)} ${lane.word(item)}${more ? t('join.colon') + more : ''}`;
}

// drawLanes makes the picture, width px wide, the names of the lanes in a column.
export function drawLanes(record, width) {
  const list = rows(record);
  const column = 10 + Math.max(...list.map(({ label }) => [...label].reduce((sum, c) => sum + (c > '\u2e7f' ? 12 : 6.8), 0)), 40);
  const length = Math.max(record.span_ms, 1);
  const x = (ms) => column + (Math.min(ms, length) / length) * (width - column - 6);
  const height = AXIS + list.length * (ROW + GAP);
  const node = svg('svg', { class: 'lanes', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
    svg('title', {}, t('record.pic', { robot: record.ride.robot, n: (length / 1000).toFixed(1) })), axis(length, width - column, x, height));
  list.forEach(({ lane, items, label }, place) => {
    const y = AXIS + place * (ROW + GAP);
    node.append(svg('g', { class: 'lane', 'data-lane': lane.name },
      svg('text', { class: 'lane-name', x: 0, y: y + 15 }, label),
      svg('line', { class: 'lane-base', x1: column, x2: width - 6, y1: y + ROW, y2: y + ROW }),
      items.map((item) => (lane.point ? tick(lane, item, x, y) : bar(lane, item, x, y, length)))));
  });
  return node;
}

function axis(length, room, x, height) {
  const step = STEPS.find((s) => (s * 1000 * room) / length >= APART) ?? STEPS[STEPS.length - 1];
  const marks = [];
  for (let s = 0; s * 1000 <= length; s += step) {
    const at = x(s * 1000);
    marks.push(svg('line', { class: 'lane-grid', x1: at, x2: at, y1: AXIS - 4, y2: height }));
    if (x(length) - at < APART / 2) continue; // no room for its words
    marks.push(svg('text', { class: 'lane-time', x: at + 2, y: 11 }, step < 1 ? t('age.s', { n: s.toFixed(1) }) : span(Math.round(s) * 1000)));
  }
  return svg('g', { class: 'axis' }, marks);
}

function bar(lane, item, x, y, length) {
  const from = x(item.t_ms);
  const room = Math.max(x(item.until_ms ?? length) - from, 2.5);
  const words = (lane.short ?? lane.word)(item);
  return svg('g', { class: 'item', 'data-kind': lane.kind(item) }, svg('title', {}, titled(lane, item)),
    svg('rect', { x: from, y: y + 2, width: Math.max(room - 0.8, 2), height: ROW - 5, rx: 3 }),
    fits(words, room) ? svg('text', { class: 'item-word', x: from + 4, y: y + 14.5 }, words) : null);
}

function tick(lane, item, x, y) {
  const at = x(item.t_ms);
  return svg('g', { class: 'item', 'data-kind': lane.kind(item) }, svg('title', {}, titled(lane, item)),
    svg('path', { d: `M${at} ${y + 3} l4 7 l-4 7 l-4 -7z` }));
}

// listed gives the same as rows of a table, by time, for those who read.
export function listed(record, most) {
  const all = rows(record).flatMap(({ lane, items, label }) => items.map((item) => ({ lane, item, label })));
  all.sort((a, b) => a.item.t_ms - b.item.t_ms);
  const head = el('thead', {}, el('tr', {}, ['record.time', 'record.lane', 'record.what'].map((key) => el('th', { scope: 'col' }, t(key)))));
  const body = all.slice(0, most).map(({ lane, item, label }) => el('tr', {},
    el('td', {}, after(item.t_ms)), el('td', {}, label), el('td', {}, lane.word(item), lane.more?.(item) ? el('span', { class: 'quiet' }, ` ${lane.more(item)}`) : null)));
  return { table: el('table', {}, head, el('tbody', {}, body)), all: all.length };
}
