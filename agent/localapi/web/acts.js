// What a technician may do here, each asked for once more and noted below, so that
// whoever used this tab sees what was done from it.

import { askPerson } from './dialog.js';
import { byId, el, say, show } from './dom.js';
import { t, word } from './text.js';
import { ask } from './token.js';

const KEY = 'hoistway.acts';
const KEPT = 50;
const AUDITED = 30;
let done = recall(); // newest first: { at, what, fault }

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

// note adds an act with how it ended.
export function note(what, fault = null) {
  done = [{ at: new Date().toISOString(), what, fault }, ...done].slice(0, KEPT);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(done));
  } catch { /* shown all the same */ }
  drawActs();
  void drawAudit();
}

export function drawActs() {
  show(byId('no-acts'), done.length === 0);
  byId('act-list').replaceChildren(...done.map((act) => el('li', { 'data-act': act.fault ? 'refused' : 'fine' },
    el('time', { datetime: act.at }, new Date(act.at).toLocaleTimeString()),
    el('span', {}, act.what),
    el('b', {}, act.fault ? t('acts.refused', { why: act.fault }) : t('acts.fine')))));
}

// drawAudit reads what the gateway has written down, the newest first.
export async function drawAudit() {
  if (!byId('audit').open) return;
  try {
    const entries = await ask('GET', `/v1/audit?of=acts&limit=${AUDITED}`);
    const rows = entries.toReversed().map((entry) => el('li', {},
      el('time', { datetime: entry.at }, new Date(entry.at).toLocaleString()), el('span', {}, entry.by), el('code', {}, entry.what),
      el('b', {}, word('outcome', entry.outcome)), el('span', { class: 'quiet' }, [entry.why, entry.code].filter(Boolean).join(t('join.comma')))));
    byId('audit-list').replaceChildren(...(rows.length > 0 ? rows : [el('li', {}, t('acts.audit_none'))]));
  } catch (fault) {
    byId('audit-list').replaceChildren(el('li', { class: 'alarm-words' }, fault.message));
  }
}

// act asks the person, makes the call and notes how it ended. True: it was done.
async function act(question, method, path, body) {
  const answers = await askPerson(question);
  if (!answers) return false;
  const on = question.on ? `${question.title} ${question.on}` : question.title;
  const what = on.replaceAll('…', '');
  try {
    await ask(method, path, body?.(answers));
    note(what);
    say(byId('said'), `${what}: ${t('acts.fine')}`);
    return true;
  } catch (fault) {
    note(what, fault.message);
    say(byId('act-said'), t('acts.refused', { why: fault.message }));
    return false;
  }
}

const lift = (id, what) => `/v1/lifts/${encodeURIComponent(id)}/${what}`;
const whyField = () => ({ name: 'why', kind: 'text', label: t('ask.why') });
const seenField = () => ({ name: 'seen_by', kind: 'text', label: t('ask.seen_by'), required: true });
const named = (words) => (words ? words : undefined);

export const stopAll = () => act(
  { title: t('tech.stop'), text: t('ask.stop'), fields: [whyField()], grave: true },
  'POST', '/v1/stop', ({ why }) => ({ on: true, why: named(why) }));

export const goOn = () => act(
  { title: t('tech.go_on'), text: t('ask.go_on'), fields: [whyField()] },
  'POST', '/v1/stop', ({ why }) => ({ on: false, why: named(why) }));

export function maintain(id) {
  const options = ['3600', '14400', '0'].map((s) => [s, t(`ask.for_${s}`)]);
  const fields = [{ name: 'for_s', kind: 'choice', label: t('ask.for'), options }, whyField()];
  return act({ title: t('tech.maintain'), text: t('ask.maintain', { lift: id }), fields, on: id }, 'POST', lift(id, 'maintenance'),
    ({ for_s: s, why }) => ({ for_s: Number(s) || undefined, why: named(why) }));
}

export const endMaintenance = (id) => act(
  { title: t('tech.maintain_end'), text: t('ask.maintain_end', { lift: id }), on: id }, 'DELETE', lift(id, 'maintenance'));

export const carEmpty = (id) => act(
  { title: t('tech.empty'), text: t('ask.empty', { lift: id }), fields: [seenField()], on: id, grave: true },
  'POST', lift(id, 'car-empty'), ({ seen_by }) => ({ seen_by }));

export const clearAlarm = (area) => act(
  { title: t('tech.clear'), text: t('ask.clear', { area }), fields: [seenField()], on: area, grave: true },
  'POST', `/v1/areas/${encodeURIComponent(area)}/alarms/clear`, ({ seen_by }) => ({ seen_by }));

export function resetRide(ride) {
  const options = ['outside', 'removed', 'inside'].map((where) => [where, t(`ask.robot_${where}`)]);
  const fields = [{ name: 'robot_is', kind: 'choice', label: t('ask.robot_is'), options }, seenField()];
  return act({ title: t('ride.reset'), text: t('ask.reset', { robot: ride.robot }), fields, on: ride.robot, grave: true },
    'POST', `/v1/rides/${encodeURIComponent(ride.ride_id)}/reset`, (given) => given);
}

// changeRide offers the floors of the ride's lift but the one it goes to. With the robot in
// the car the call to the new one is placed before the old one is taken back.
export function changeRide(ride, floors) {
  const options = floors.filter((floor) => floor !== ride.to).map((floor) => [floor, floor]);
  const aboard = ride.where === 'outside' ? undefined : true;
  return act({ title: t('ride.change'), text: t('ask.change', { robot: ride.robot, to: ride.to }), fields: [{ name: 'to', kind: 'choice', label: t('ask.to'), options }], on: ride.robot },
    'PATCH', `/v1/rides/${encodeURIComponent(ride.ride_id)}`, ({ to }) => ({ to, aboard }));
}

export const cancelRide = (ride) => act(
  { title: t('ride.cancel'), text: t('ask.cancel', { robot: ride.robot }), on: ride.robot },
  'DELETE', `/v1/rides/${encodeURIComponent(ride.ride_id)}`);
