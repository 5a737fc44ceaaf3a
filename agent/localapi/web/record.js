// The flight record of a ride: fetched when a person opens it, drawn as lanes, and
// drawn anew while the ride runs. Only a technician's token reads it.

import { el, say, set, show } from './dom.js';
import { drawLanes, listed } from './lanes.js';
import { t, word } from './text.js';
import { ask, mayRide } from './token.js';

const EVERY = 1500; // ms between two looks at a running ride
const NEAREST = 32; // times wider than the card
const LISTED = 400;

export class RecordView {
  constructor(id) {
    this.id = id;
    this.wide = 1;
    this.said = el('p', { class: 'quiet' });
    this.picture = el('div', { class: 'lanes-place', tabindex: '0', role: 'group', 'aria-label': t('record.head') });
    this.table = el('div', { class: 'lanes-table' });
    this.list = el('details', {}, el('summary', {}, t('record.list')), this.table);
    this.list.addEventListener('toggle', () => this.drawList());
    const button = (key, act) => {
      const node = el('button', { type: 'button', class: 'small-act' }, t(key));
      node.addEventListener('click', act);
      return node;
    };
    this.tools = el('div', { class: 'tools' }, button('record.nearer', () => this.zoom(2)), button('record.wider', () => this.zoom(1 / 2)),
      button('record.save', () => this.save()));
    this.node = el('details', { class: 'record' }, el('summary', {}, t('record.head')), this.said, this.picture, this.tools, this.list);
    this.node.addEventListener('toggle', () => this.node.open && this.look());
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  update(ride) {
    show(this.node, mayRide(ride.robot));
    const changed = this.running && ride.state === 'DONE';
    this.running = ride.state !== 'DONE';
    if (changed) this.look(); // its end belongs to the picture
  }

  // look reads the record once, and again for as long as the ride runs and is looked at.
  async look() {
    if (!this.node.open || this.busy) return;
    clearTimeout(this.next);
    if (document.hidden) { // nobody looks
      this.next = setTimeout(() => this.look(), EVERY);
      return;
    }
    this.busy = true;
    if (!this.record) say(this.said, t('record.reading'));
    show(this.tools, Boolean(this.record));
    show(this.list, Boolean(this.record));
    try {
      this.record = await ask('GET', `/v1/rides/${encodeURIComponent(this.id)}/record`);
      this.draw();
    } catch (fault) {
      say(this.said, t('record.none', { why: fault.message }));
    }
    this.busy = false;
    if (this.running) this.next = setTimeout(() => this.look(), EVERY);
  }

  draw() {
    const room = this.picture.clientWidth;
    if (!this.record || room === 0) return;
    const { record } = this;
    const n = (record.span_ms / 1000).toFixed(1);
    const parts = [t(record.running ? 'record.going' : 'record.span', { n })];
    if (record.damage?.length > 0) parts.push(t('record.damage', { what: record.damage.join(t('join.comma')) }));
    say(this.said, parts.join(' · '));
    show(this.tools, true);
    show(this.list, true);
    this.picture.replaceChildren(drawLanes(record, Math.max(room * this.wide, 240)));
    set(this.node, 'data-state', record.state);
    set(this.picture, 'aria-label', `${t('record.head')}${t('join.colon')}${word('state', record.state)}`);
    this.drawList();
  }

  drawList() {
    if (!this.list.open || !this.record) return;
    const { table, all } = listed(this.record, LISTED);
    this.table.replaceChildren(table, all > LISTED ? el('p', { class: 'quiet' }, t('record.cut', { n: LISTED, all })) : '');
  }

  zoom(by) {
    const { picture } = this;
    const middle = (picture.scrollLeft + picture.clientWidth / 2) / picture.scrollWidth;
    this.wide = Math.min(Math.max(this.wide * by, 1), NEAREST);
    this.draw();
    picture.scrollLeft = middle * picture.scrollWidth - picture.clientWidth / 2;
  }

  save() {
    const file = URL.createObjectURL(new Blob([JSON.stringify(this.record, null, 1)], { type: 'application/json' }));
    el('a', { href: file, download: `ride-${this.id}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(file), 10000);
  }
}
