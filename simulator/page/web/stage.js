// One run on the page: its building, and in words its lifts, rides, faults and log.

import { clock, el, keyed, say, set, show, span } from './dom.js';
import { Building } from './building.js';
import { LAG, rowsAt } from './belief.js';

const TOLD_EVERY = 100; // ms between two changes of the words
const SHOWN_EVENTS = 120;
const UNKNOWN = 'unknown';

const fact = (name) => {
  const value = el('dd');
  return { node: el('div', {}, el('dt', {}, name), value), value };
};

export class Stage {
  // on has jump(ms), and clear(target, kind) where faults can be cleared.
  constructor(run, letter, on) {
    Object.assign(this, { run, letter, on, lifts: new Map(), rides: new Map(), faults: new Map(), toldAt: -Infinity });
    this.building = new Building(run.header);
    this.node = el('article', { class: 'stage', 'data-run': letter, 'aria-label': `Run ${letter}: ${run.name}` },
      this.head(),
      el('div', { class: 'two' },
        el('div', { class: 'stack' },
          el('div', { class: 'card scroll', tabindex: 0, role: 'group', 'aria-label': 'The building' }, this.building.node),
          (this.liftList = el('div', { class: 'lifts' }))),
        (this.side = el('div', { class: 'stack side' },
          this.panel('Faults that are on', (this.faultList = el('ul', { class: 'rows' })), (this.noFaults = el('p', { class: 'quiet' }, 'None.'))),
          this.panel('Rides', (this.rideList = el('ul', { class: 'rows' })), (this.noRides = el('p', { class: 'quiet' }, 'None.'))),
          this.panel('Log', this.logHead(), (this.log = el('ol', { class: 'log', tabindex: 0, role: 'log', 'aria-live': 'off', 'aria-label': 'Log, the newest first' })))))));
  }

  head() {
    const { run: { header, name }, letter } = this;
    const about = [header.title, header.seed && `seed ${header.seed}`, header.virtual ? 'virtual time' : 'real time'].filter(Boolean).join(' · ');
    return el('header', { class: 'stage-head' },
      el('h2', {}, el('span', { class: 'letter', 'data-run': letter }, letter), ` ${name}`),
      el('span', { class: 'quiet' }, about),
      (this.cloud = el('span', { class: 'chip', 'data-aim': 'cloud' })),
      (this.gateway = el('span', { class: 'chip', 'data-aim': 'gateway', 'data-bad': true, hidden: true })),
      (this.ended = el('span', { class: 'chip', hidden: true }, `ended at ${clock(this.run.end)}`)),
      (this.trouble = el('p', { class: 'trouble', hidden: true })),
      header.again ? el('code', { class: 'again', title: 'the same run again' }, header.again) : null);
  }

  panel(title, ...children) {
    return el('section', { class: 'card', 'aria-label': title }, el('h3', {}, title), ...children);
  }

  logHead() {
    this.onlyBad = el('input', { type: 'checkbox' });
    this.onlyBad.addEventListener('change', () => this.tellLog(this.t ?? 0, true));
    return el('label', { class: 'check' }, this.onlyBad, ' trouble only');
  }

  // draw shows the run as it was at t. Words follow a little more slowly than what
  // moves, unless at once.
  draw(t, now, atOnce) {
    const view = this.run.at(t);
    show(this.node.querySelector('.two'), view !== null);
    show(this.trouble, this.run.trouble !== '' || !view);
    say(this.trouble, this.run.trouble || 'Nothing has been shown yet.');
    if (!view) return;
    this.t = t;
    show(this.ended, !this.run.live && t > this.run.end);
    const stale = view.frame !== this.told || this.run.changes !== this.changes;
    if (stale && (atOnce || now - this.toldAt >= TOLD_EVERY)) {
      this.tell(view);
      this.tellLog(t, false);
      [this.told, this.toldAt, this.changes] = [view.frame, now, this.run.changes];
    } else {
      this.building.draw(view);
      if (atOnce) this.tellLog(t, false);
    }
  }

  tell(view) {
    const { frame } = view;
    const rows = this.run.header.lifts.map((_, i) => rowsAt(this.run, view, i));
    set(this.node, 'data-at-ms', frame.at);
    this.building.tell(view, rows);
    const lifts = this.run.header.lifts.map((lift, i) => ({ lift, car: frame.cars[i], rows: rows[i] }));
    keyed(this.liftList, this.lifts, lifts, (l) => l.lift.id, (l) => this.liftCard(l.lift), (card, l) => this.tellLift(card, l, frame));
    keyed(this.rideList, this.rides, frame.rides, (r) => r.id, () => this.rideRow(), tellRide);
    show(this.noRides, frame.rides.length === 0);
    keyed(this.faultList, this.faults, frame.faults, (f) => `${f.name}\n${f.target}`, (f) => this.faultRow(f), tellFault(frame.at));
    show(this.noFaults, frame.faults.length === 0);
    this.tellHead(frame);
  }

  tellHead({ cloud, faults }) {
    const link = cloud.online === null ? 'cloud unknown' : cloud.online ? 'cloud connected' : 'cloud away';
    const on = (aim) => faults.filter((f) => f.target === aim).map((f) => f.name);
    const words = [link, `version ${cloud.version ?? UNKNOWN}`, cloud.delta ? 'a delta is open' : '', ...on('cloud')];
    say(this.cloud, words.filter(Boolean).join(' · '));
    set(this.cloud, 'data-link', cloud.online === null ? 'unknown' : cloud.online ? 'online' : 'offline');
    set(this.cloud, 'data-bad', on('cloud').length > 0);
    say(this.gateway, ['gateway', ...on('gateway')].join(' · '));
    show(this.gateway, on('gateway').length > 0);
  }

  liftCard(lift) {
    const card = { rows: new Map(), facts: {} };
    const facts = ['mode', 'motion', 'load', 'people', 'state'].map((name) => (card.facts[name] = fact(name)).node);
    card.node = el('section', { class: 'card lift', 'data-lift': lift.id, 'aria-label': `Lift ${lift.id}` },
      el('header', {}, el('h3', {}, lift.id), (card.marks = el('span', { class: 'marks' }))),
      el('dl', { class: 'facts' }, facts),
      el('table', { class: 'belief' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, ''), el('th', { scope: 'col' }, 'really'), el('th', { scope: 'col' }, 'the agent has'), el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'do they agree')))),
        (card.body = el('tbody'))),
      el('div', { class: 'wire', 'data-wire': lift.id },
        (card.dot = el('span', { class: 'dot', 'aria-hidden': 'true' })), el('b', {}, lift.wire || 'wire unknown'),
        (card.counts = el('span', { class: 'counts' })), (card.last = el('span', { class: 'last' }))),
      (card.alarms = el('ul', { class: 'alarms' })));
    return card;
  }

  tellLift(card, { lift, car, rows }, frame) {
    const { facts } = card;
    say(facts.mode.value, car.mode || UNKNOWN);
    say(facts.motion.value, car.motion ? `${car.motion}${car.speed ? ` ${(Math.abs(car.speed) / 1000).toFixed(1)} m/s` : ''}` : UNKNOWN);
    say(facts.load.value, car.load === null ? UNKNOWN : `${car.load}${lift.rated ? ` of ${lift.rated}` : ''} kg`);
    say(facts.people.value, car.people === null ? UNKNOWN : String(car.people));
    say(facts.state.value, [car.state || UNKNOWN, car.owner && `for ${car.owner}`].filter(Boolean).join(' '));
    set(facts.state.value, 'data-state', car.state || UNKNOWN);
    keyed(card.body, card.rows, rows, (r) => r.what, (r) => beliefRow(r.what), tellBelief(frame.at));
    const differs = rows.some((r) => r.differs && frame.at - r.since >= LAG);
    set(card.node, 'data-differs', differs);
    const faults = frame.faults.filter((f) => f.target === lift.id).map((f) => f.name);
    say(card.marks, [...faults, differs ? 'the agent has it wrong' : ''].filter(Boolean).join(' · '));
    set(card.node, 'data-faulty', faults.length > 0);
    tellWire(card, frame.wires.find((w) => w.lift === lift.id));
    const alarms = [...car.alarms, ...(car.error ? [`the controller shows error ${car.error}`] : []), ...(car.blocked ? ['something is in the door'] : [])];
    if (card.alarmsTold !== alarms.join('\n')) card.alarms.replaceChildren(...alarms.map((a) => el('li', {}, a)));
    card.alarmsTold = alarms.join('\n');
  }

  rideRow() {
    const row = { node: el('li', { class: 'ride' }) };
    row.node.append(
      el('div', { class: 'line' }, (row.what = el('b')), (row.state = el('span', { class: 'chip state' }))),
      (row.phase = el('div', { class: 'quiet' })), (row.permit = el('div', { class: 'permit' })), (row.fault = el('div', { class: 'ride-fault' })));
    return row;
  }

  faultRow(fault) {
    const row = { node: el('li', { class: 'fault', 'data-fault': fault.name, 'data-target': fault.target }) };
    row.node.append(el('div', { class: 'line' }, el('b', {}, fault.name), el('span', {}, ' on '), el('b', {}, fault.target),
      this.on.clear ? this.clearButton(fault) : null), (row.about = el('div', { class: 'quiet' })));
    return row;
  }

  clearButton(fault) {
    const button = el('button', { type: 'button', class: 'small', 'aria-label': `Clear ${fault.name} on ${fault.target}` }, 'Clear');
    button.addEventListener('click', () => this.on.clear(fault.target, fault.name));
    return button;
  }

  tellLog(t, anew) {
    const count = this.run.eventsUpTo(t);
    const newest = this.run.events[count - 1];
    if (!anew && newest === this.newest && count === this.logged) return;
    [this.newest, this.logged] = [newest, count];
    const shown = [];
    for (let i = count - 1; i >= 0 && shown.length < SHOWN_EVENTS; i -= 1) {
      if (!this.onlyBad.checked || this.run.events[i].bad) shown.push(this.logLine(this.run.events[i]));
    }
    this.log.replaceChildren(...shown);
  }

  logLine(event) {
    const time = el('button', { type: 'button', class: 'time', 'aria-label': `Go to ${clock(event.at)}` }, clock(event.at));
    time.addEventListener('click', () => this.on.jump(event.at));
    return el('li', { 'data-bad': event.bad }, time, el('b', {}, event.who), ' ', el('span', {}, event.text));
  }
}

function beliefRow(what) {
  const row = { really: el('td'), has: el('td'), mark: el('td', { class: 'mark', title: 'for how long the two have differed' }) };
  row.node = el('tr', { 'data-what': what }, el('th', { scope: 'row' }, what), row.really, row.has, row.mark);
  return row;
}

const tellBelief = (at) => (row, told) => {
  for (const [cell, value] of [[row.really, told.really], [row.has, told.has]]) {
    say(cell, value || UNKNOWN);
    set(cell, 'data-known', value ? null : 'no');
  }
  const long = told.differs && at - told.since >= LAG;
  set(row.node, 'data-differs', told.differs ? (long ? 'yes' : 'lag') : null);
  say(row.mark, told.differs ? (long ? `≠ ${span(at - told.since)}` : '≠') : '');
};

function tellWire(card, wire) {
  const up = wire?.up ?? null;
  set(card.dot, 'data-up', up === null ? 'unknown' : up ? 'yes' : 'no');
  say(card.counts, wire ? `${up === false ? 'down · ' : ''}${wire.asked} asked · ${wire.answered} answered · ${wire.spoiled} spoiled · ${wire.wrote} written` : 'nothing known of it');
  set(card.counts, 'data-spoiled', wire !== undefined && wire.spoiled > 0);
  say(card.last, wire?.last ? `last write: ${wire.last}` : '');
  if (wire && card.asked !== undefined && wire.asked > card.asked) {
    set(card.dot, 'data-beat', card.dot.dataset.beat === '1' ? '2' : '1'); // two names, so that it blinks anew
  }
  card.asked = wire?.asked;
}

function tellRide(row, ride) {
  set(row.node, 'data-ride', ride.id);
  set(row.node, 'data-state', ride.state || UNKNOWN);
  say(row.what, `${ride.robot || UNKNOWN}: ${ride.from || '?'} → ${ride.to || '?'}`);
  say(row.state, ride.state ? ride.state.replaceAll('_', ' ') : UNKNOWN);
  set(row.state, 'data-state', ride.state || UNKNOWN);
  say(row.phase, [ride.id, ride.lift && `lift ${ride.lift}`, ride.phase].filter(Boolean).join(' · '));
  say(row.permit, ride.permit ? `permit: ${ride.permit}` : '');
  say(row.fault, [ride.fault, ride.why].filter(Boolean).join(': '));
  set(row.fault, 'data-bad', ride.fault !== '');
}

const tellFault = (at) => (row, fault) => {
  say(row.about, [fault.arg, `since ${clock(fault.since)}`, fault.left > 0 ? `${span(fault.left)} left` : 'no end set', `struck ${fault.struck} ×`].filter(Boolean).join(' · '));
};
