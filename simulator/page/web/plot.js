// Waiting times: how they are spread, and how their mean and their 95th per cent
// went in the course of time. People and robots apart, runs over one another.

import { byId, el, span, svg } from './dom.js';

const WIDE = 340;
const TALL = 130;
const EDGE = { left: 34, top: 8, bottom: 20, right: 8 };
const BINS = 18;
const POINTS = 160;
const KINDS = [['people', 'People', 'from the call to stepping in'], ['robots', 'Robots', 'from the call to the permit to enter']];

// rank gives the p-th per cent of sorted numbers, as the nearest one.
export const rank = (sorted, p) => sorted[Math.max(Math.ceil((sorted.length * p) / 100) - 1, 0)];

export function figures(waits) {
  if (waits.length === 0) return null;
  const sorted = Float64Array.from(waits, (w) => w.ms).sort();
  return { n: sorted.length, mean: sorted.reduce((a, b) => a + b, 0) / sorted.length, p95: rank(sorted, 95), most: sorted.at(-1) };
}

const stepOf = (ms) => Math.ceil(ms / 100);

// course gives mean and 95th per cent at up to POINTS times. Times are counted in
// steps of 0.1 s, which are put in order once: no point needs a sort.
function course(waits) {
  const points = [];
  const counts = new Map();
  const steps = [...new Set(waits.map((w) => stepOf(w.ms)))].sort((a, b) => b - a);
  const every = Math.max(Math.floor(waits.length / POINTS), 1);
  let sum = 0;
  waits.forEach((w, i) => {
    sum += w.ms;
    const step = stepOf(w.ms);
    counts.set(step, (counts.get(step) ?? 0) + 1);
    if ((i + 1) % every === 0 || i === waits.length - 1) points.push({ at: w.at, mean: sum / (i + 1), p95: highest(steps, counts, i + 1) });
  });
  return points;
}

function highest(steps, counts, n) {
  let above = n - Math.ceil(n * 0.95);
  for (const step of steps) {
    const here = counts.get(step) ?? 0;
    if (above < here) return step * 100;
    above -= here;
  }
  return 0;
}

// nice gives a round number that is not below v.
function nice(v) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(v, 1)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((f) => f * ten).find((f) => f >= v);
}

export class Plot {
  constructor() {
    this.kept = new WeakMap(); // run → its points, by kind
    this.parts = KINDS.map(([kind, name, from]) => {
      const part = { kind, name, frames: { spread: frame('spread'), course: frame('course') }, table: el('tbody') };
      byId('plots').append(el('figure', { class: 'plot', 'data-kind': kind },
        el('figcaption', {}, el('b', {}, name), ` ${from}`),
        el('div', { class: 'pair' }, part.frames.spread, part.frames.course),
        el('table', { class: 'figures' },
          el('thead', {}, el('tr', {}, ...['', 'waited', 'mean', '95 %', 'longest'].map((h) => el('th', { scope: 'col' }, h)))), part.table)));
      return part;
    });
  }

  // draw shows the waits of the runs up to t.
  draw(runs, t) {
    for (const part of this.parts) {
      const sets = runs.map(({ run, letter }) => ({ letter, waits: run.waitsUpTo(part.kind, t), all: run }));
      this.spread(part, sets);
      this.course(part, sets, runs);
      part.table.replaceChildren(...sets.map(({ letter, waits }) => {
        const f = figures(waits);
        const cells = f ? [String(f.n), span(f.mean), span(f.p95), span(f.most)] : ['0', '–', '–', '–'];
        return el('tr', { 'data-run': letter }, el('th', { scope: 'row' }, el('span', { class: 'letter', 'data-run': letter }, letter)), ...cells.map((c) => el('td', {}, c)));
      }));
    }
  }

  spread(part, sets) {
    const all = sets.flatMap((s) => s.waits.map((w) => w.ms));
    const top = nice(Math.max(all.reduce((a, b) => Math.max(a, b), 0), 10_000));
    const bins = sets.map(({ waits }) => {
      const bin = new Array(BINS).fill(0);
      for (const w of waits) bin[Math.min(Math.floor((w.ms / top) * BINS), BINS - 1)] += 1;
      return bin;
    });
    // Shares, so that a long run and a short one can be laid over one another.
    const shares = bins.map((bin, i) => bin.map((n) => (sets[i].waits.length ? n / sets[i].waits.length : 0)));
    const most = nice(Math.max(...shares.flat(), 0.1) * 100) / 100;
    const { x, y, nodes } = axes(top, most, (ms) => `${ms / 1000} s`, (share) => `${Math.round(share * 100)} %`);
    const wide = (x(top) - x(0)) / BINS;
    const each = (wide - 2) / Math.max(sets.length, 1);
    shares.forEach((share, i) => share.forEach((s, b) => s > 0 && nodes.push(svg('rect', {
      class: 'share', 'data-run': sets[i].letter, x: (x(0) + b * wide + 1 + i * each).toFixed(1), width: each.toFixed(1), y: y(s).toFixed(1), height: (y(0) - y(s)).toFixed(1),
    }))));
    fill(part.frames.spread, `${part.name}: how the waiting times are spread`, nodes);
  }

  // points are those of the whole run; they are counted anew only when it grew.
  points(kind, run) {
    const waits = run[kind];
    const kept = this.kept.get(run)?.[kind];
    if (kept && kept.last === waits.at(-1)) return kept.points;
    const points = course(waits);
    this.kept.set(run, { ...this.kept.get(run), [kind]: { last: waits.at(-1), points } });
    return points;
  }

  course(part, sets, runs) {
    const lines = sets.map(({ letter, waits, all }) => ({ letter, points: this.points(part.kind, all).filter((p) => p.at <= (waits.at(-1)?.at ?? -1)) }));
    const end = Math.max(...runs.map(({ run }) => run.end), 10_000);
    const most = nice(Math.max(...lines.flatMap((l) => l.points.map((p) => p.p95)), 10_000));
    const { x, y, nodes } = axes(end, most, (ms) => (end < 180_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 6000) / 10} min`), (ms) => `${Math.round(ms / 1000)} s`);
    for (const { letter, points } of lines) {
      for (const what of ['mean', 'p95']) {
        if (points.length === 0) continue;
        const d = points.map((p, i) => `${i ? 'L' : 'M'}${x(p.at).toFixed(1)} ${y(p[what]).toFixed(1)}`).join(' ');
        const end = points.at(-1);
        nodes.push(svg('path', { class: 'curve', 'data-run': letter, 'data-what': what, d }),
          svg('circle', { class: 'curve-end', 'data-run': letter, cx: x(end.at).toFixed(1), cy: y(end[what]).toFixed(1), r: 2.5 }));
      }
    }
    fill(part.frames.course, `${part.name}: running mean and 95th per cent`, nodes);
  }
}

const frame = (what) => svg('svg', { class: what, viewBox: `0 0 ${WIDE} ${TALL}`, role: 'img' });

const fill = (node, title, nodes) => node.replaceChildren(svg('title', {}, title), ...nodes);

function axes(right, top, wordX, wordY) {
  const x = (v) => EDGE.left + (Math.min(v / right, 1)) * (WIDE - EDGE.left - EDGE.right);
  const y = (v) => TALL - EDGE.bottom - (Math.min(v / top, 1)) * (TALL - EDGE.top - EDGE.bottom);
  const nodes = [];
  for (const share of [0, 0.5, 1]) {
    nodes.push(svg('line', { class: 'grid', x1: x(0), x2: x(right), y1: y(top * share), y2: y(top * share) }),
      svg('text', { class: 'tick', 'data-axis': 'y', x: EDGE.left - 4, y: y(top * share) + 3 }, wordY(top * share)),
      svg('text', { class: 'tick', 'data-axis': 'x', 'data-end': share === 1, x: x(right * share), y: TALL - 6 }, wordX(right * share)));
  }
  return { x, y, nodes };
}
