// The card of one lift: its shaft, its values and how old they are, who waits, and
// what a technician may do.

import { carEmpty, clearAlarm, endMaintenance, maintain } from './acts.js';
import { el, say, set, show } from './dom.js';
import { OutputsView } from './outputs.js';
import { Shaft } from './shaft.js';
import { span, t, why, word } from './text.js';
import { isTechnician } from './token.js';

const STALE = 3000; // ms without a word
const SILENT = 5000;

// pushed words how a service's messages come.
function pushed(push) {
  const verify = push.unsigned ? t('lift.push_bare') : push.verify;
  if (push.state === 'suspended') return t('lift.push_off', { verify });
  return push.heard_ms === null ? t('lift.push_never', { verify }) : t('lift.push_heard', { age: span(push.heard_ms), verify });
}

// valued words a value; one that is not good says so, lest it be taken for now.
export function valued(value, words = (each) => word('value', each)) {
  if (value.value === null || value.value === undefined || value.quality === 'unknown') return word('value', 'unknown');
  const shown = words(value.value);
  return value.quality === 'good' ? shown : t('lift.old', { value: shown, quality: word('value', value.quality) });
}

const more = (given) => [given.why, given.until && t('lift.until', { time: new Date(given.until).toLocaleString() }), given.by && t('lift.by', { who: given.by })]
  .filter(Boolean).join(t('join.comma'));

const button = (words, act) => {
  const node = el('button', { type: 'button', class: 'small-act' }, words);
  node.addEventListener('click', act);
  return node;
};

export class LiftCard {
  constructor(lift) {
    const id = lift.id;
    this.name = el('h3', {}, t('lift.name', { id }));
    this.link = el('span', { class: 'chip' });
    this.heard = el('p', { class: 'heard', role: 'status' });
    this.place = el('div', { class: 'shaft-place' });
    this.banners = el('div', { class: 'banners' });
    this.facts = el('dl', { class: 'facts' });
    this.queue = el('ol', { class: 'queue', 'aria-label': t('queue.head') });
    this.alarms = el('ul', { class: 'alarms' });
    this.acts = {
      maintain: button(t('tech.maintain'), () => maintain(id)),
      end: button(t('tech.maintain_end'), () => endMaintenance(id)),
      empty: button(t('tech.empty'), () => carEmpty(id)),
      clear: button(t('tech.clear'), () => clearAlarm(this.told.area)),
    };
    this.outputs = new OutputsView(id);
    this.desk = el('footer', { class: 'desk', role: 'group', 'aria-label': t('tech.acts') }, Object.values(this.acts));
    this.node = el('article', { class: 'card lift', 'data-lift': id },
      el('header', {}, this.name, this.link), this.place, this.heard, this.banners, this.facts, this.queue, this.alarms, this.outputs.node, this.desk);
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
    this.drawBanners(lift);
    this.drawFacts(lift);
    this.drawDesk(lift);
    this.alarms.replaceChildren(...lift.alarms.map((alarm) => el('li', {}, alarm.detail ? alarm.code + t('join.colon') + why(alarm.detail) : alarm.code)));
  }

  drawBanners(lift) {
    const said = [
      lift.breach && ['breach', t('lift.breach', { rule: lift.breach })],
      lift.stopped && ['stopped', t('lift.stopped', { more: more(lift.stopped) })],
      lift.maintenance && ['maintenance', t('lift.maintenance', { more: more(lift.maintenance) })],
      lift.area_alarm && ['alarm', t('lift.alarm_area', { kind: word('value', lift.area_alarm.kind), more: lift.area_alarm.drill ? word('value', 'drill') : '' })],
    ].filter(Boolean);
    this.banners.replaceChildren(...said.map(([kind, words]) => el('p', { class: 'banner', 'data-banner': kind }, words)));
  }

  drawFacts(lift) {
    const same = (value) => String(value);
    const facts = [[t('lift.floor'), valued(lift.floor, same)], [t('lift.motion'), valued(lift.motion)]];
    for (const [side, door] of Object.entries(lift.doors)) facts.push([t('lift.door', { side: word('value', side) }), valued(door)]);
    facts.push([t('lift.mode'), valued(lift.mode)]);
    if (lift.owner) facts.push([t('lift.holder'), lift.owner.robot]);
    if (!lift.accepting) facts.push([t('lift.closed'), lift.why ? t('lift.closed_why', { why: why(lift.why) }) : t('lift.closed_no')]);
    for (const [key, value] of [['lift.overload', lift.overload], ['lift.nudging', lift.nudging], ['lift.obstruction', lift.obstruction], ['lift.stop_switch', lift.emergency_stop]]) {
      if (value.value === true) facts.push([t(key), t('lift.yes')]);
    }
    if (lift.push) facts.push([t('lift.pushed'), pushed(lift.push)]);
    if (lift.vendor_code.value) facts.push([t('lift.vendor'), String(lift.vendor_code.value)]);
    this.facts.replaceChildren(...facts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
  }

  // drawQueue shows who waits, with the reason where the gateway tells one.
  drawQueue(rides) {
    const told = this.told.waiting ?? this.told.queue.map((id, i) => ({ ride_id: id, place: i + 1 }));
    show(this.queue, told.length > 0);
    this.queue.replaceChildren(...told.map((each) => {
      const ride = rides.get(each.ride_id);
      const reason = why(each.why || ride?.do.why);
      return el('li', { 'data-queued': each.ride_id },
        el('b', {}, t('queue.row', { place: each.place, robot: each.robot ?? ride?.robot ?? each.ride_id })), reason ? el('span', { class: 'quiet' }, reason) : null);
    }));
  }

  drawDesk(lift) {
    show(this.desk, isTechnician());
    show(this.acts.maintain, !lift.maintenance);
    show(this.acts.end, Boolean(lift.maintenance));
    show(this.acts.clear, Boolean(lift.area_alarm && lift.area));
  }

  // shown is the link as the page sees it: a lift that is not heard is not online.
  shown(now) {
    const silent = this.heardAt === null ? null : now - this.heardAt;
    return this.told.link === 'online' && silent !== null && silent > SILENT && !this.told.push ? 'offline' : this.told.link;
  }

  // tick keeps the age true between reports.
  tick(now) {
    const silent = this.heardAt === null ? null : now - this.heardAt;
    const link = this.shown(now);
    say(this.link, word('value', link));
    set(this.link, 'data-link', link);
    const stale = link !== 'online' || silent === null || silent > (this.told.push ? Infinity : STALE);
    set(this.node, 'data-stale', stale);
    set(this.facts, 'aria-label', stale ? t('lift.was') : null);
    show(this.heard, stale);
    if (stale) say(this.heard, silent === null ? t('lift.never') : t('lift.heard', { age: span(silent) }));
  }
}
