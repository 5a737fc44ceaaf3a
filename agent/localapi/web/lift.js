// The card of one lift: its shaft, its values, and how old they are.

import { el, say, seconds, set, show } from './dom.js';
import { Shaft } from './shaft.js';

const STALE = 3000; // ms without a word
const SILENT = 5000;

// pushed words how a service's messages come.
function pushed(push) {
  const heard = push.heard_ms === null ? 'never heard' : `last heard ${seconds(push.heard_ms)} ago`;
  return [push.state === 'suspended' ? 'suspended' : heard, push.unsigned ? 'unsigned' : push.verify].join(', ');
}

export class LiftCard {
  constructor(lift) {
    this.name = el('h3', {}, `Lift ${lift.id}`);
    this.link = el('span', { class: 'chip' });
    this.heard = el('p', { class: 'heard', role: 'status' });
    this.place = el('div', { class: 'shaft-place' });
    this.facts = el('dl', { class: 'facts' });
    this.alarms = el('ul', { class: 'alarms' });
    this.node = el('article', { class: 'card lift', 'data-lift': lift.id },
      el('header', {}, this.name, this.link), this.place, this.heard, this.facts, this.alarms);
  }

  update(lift, rides, now) {
    if (!this.shaft?.fits(lift)) {
      this.shaft = new Shaft(lift);
      this.place.replaceChildren(this.shaft.node);
    }
    this.shaft.update(lift, rides, now);
    this.heardAt = lift.heard_ms === null ? null : now - lift.heard_ms;
    this.told = lift;
    set(this.node, 'data-position-mm', lift.position_mm.value);
    set(this.node, 'data-floor', lift.floor.value);
    set(this.node, 'data-motion', lift.motion.value);
    this.drawFacts(lift);
    this.alarms.replaceChildren(...lift.alarms.map((alarm) => el('li', {}, alarm.detail ? `${alarm.code}: ${alarm.detail}` : alarm.code)));
  }

  drawFacts(lift) {
    const mode = lift.mode.value ?? 'unknown';
    const facts = [['Floor', lift.floor.value ?? '–'], ['Motion', lift.motion.value ?? 'unknown']];
    for (const [side, door] of Object.entries(lift.doors)) facts.push([`Door ${side}`, door.value ?? 'unknown']);
    facts.push(['Mode', mode.replaceAll('_', ' ')]);
    if (lift.owner) facts.push(['Held by', lift.owner.robot]);
    if (lift.queue.length > 0) facts.push(['Queue', String(lift.queue.length)]);
    if (!lift.accepting) facts.push(['New rides', lift.why ? `no: ${lift.why}` : 'no']);
    for (const [name, value] of [['Overload', lift.overload], ['Nudging', lift.nudging], ['Obstruction', lift.obstruction], ['Stop switch', lift.emergency_stop]]) {
      if (value.value === true) facts.push([name, 'yes']);
    }
    if (lift.push) facts.push(['Pushed', pushed(lift.push)]);
    if (lift.vendor_code.value) facts.push(['Controller code', String(lift.vendor_code.value)]);
    this.facts.replaceChildren(...facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
  }

  // tick keeps the age true between reports.
  tick(now) {
    const silent = this.heardAt === null ? null : now - this.heardAt;
    const link = this.told.link === 'online' && silent !== null && silent > SILENT && !this.told.push ? 'offline' : this.told.link;
    say(this.link, link);
    set(this.link, 'data-link', link);
    const stale = link !== 'online' || silent === null || silent > STALE;
    set(this.node, 'data-stale', stale);
    show(this.heard, stale);
    if (stale) say(this.heard, silent === null ? 'never heard' : `last heard ${seconds(silent)} ago`);
  }
}
