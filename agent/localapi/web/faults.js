// Everything that is wrong now, with what a person can do about it. What is new is
// also said to a screen reader, once; ages grow without being said again.

import { byId, el, say, show } from './dom.js';
import { about, span, t, why } from './text.js';

const cards = new Map(); // key → card

const liftName = (id) => t('faults.lift', { id });

function ofRides(rides) {
  return rides.filter((ride) => ride.fault && ride.state !== 'DONE').map((ride) => ({
    key: `ride/${ride.ride_id}/${ride.fault.no}`, code: ride.fault.code, help: ride.fault.help, todo: ride.fault.todo,
    where: t('faults.ride', { robot: ride.robot, lift: ride.lift }), since: ride.fault.age_ms, person: ride.fault.latched || ride.state === 'FAULT_LOCKED',
  }));
}

function ofLift(lift, link) {
  const found = lift.alarms.map((alarm) => ({ key: `lift/${lift.id}/${alarm.code}`, code: alarm.code, detail: alarm.detail, where: liftName(lift.id) }));
  if (link !== 'online') found.unshift({ key: `lift/${lift.id}/link`, code: 'E-6001', where: liftName(lift.id), since: lift.heard_ms ?? undefined });
  return found;
}

// drawFaults takes the rides and [lift, link as shown] pairs. Ages count from told,
// when each fault was first seen here.
export function drawFaults(rides, lifts, now) {
  const found = [...ofRides(rides), ...lifts.flatMap(([lift, link]) => ofLift(lift, link))];
  const keys = new Set(found.map((fault) => fault.key));
  for (const [key, card] of cards) {
    if (keys.has(key)) continue;
    card.node.remove();
    cards.delete(key);
  }
  for (const fault of found) (cards.get(fault.key) ?? add(fault, now)).tick(now);
  show(byId('no-faults'), found.length === 0);
}

function add(fault, now) {
  const known = about(fault.help || fault.code);
  const title = known?.title ?? fault.detail ?? fault.code;
  const age = el('span', { class: 'quiet' });
  const began = fault.since === undefined ? null : now - fault.since;
  const todo = known?.do ?? fault.todo;
  const node = el('li', { class: 'fault', 'data-fault': fault.code },
    el('p', {}, el('strong', {}, title), ' ', el('code', {}, fault.code), ' ', el('span', {}, fault.where), ' ', age),
    fault.detail && fault.detail !== title ? el('p', {}, why(fault.detail)) : null,
    fault.person ? el('p', {}, t('faults.latched')) : null,
    todo ? el('p', {}, t('faults.do', { do: todo })) : null,
    known ? el('p', { class: 'quiet' }, t('faults.more', { command: `hoistway help ${known.code}` })) : null);
  const card = { node, tick: (at) => say(age, began === null ? '' : t('faults.since', { age: span(at - began) })) };
  cards.set(fault.key, card);
  byId('fault-list').append(node);
  say(byId('fault-said'), t('faults.said', { what: title, where: fault.where }));
  return card;
}
