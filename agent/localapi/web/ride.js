// The card of one ride: where it is, what the robot is told, and what happened.

import { cancelRide, changeRide, resetRide } from './acts.js';
import { el, say, set, show } from './dom.js';
import { RecordView } from './record.js';
import { about, phrase, span, t, why, word } from './text.js';
import { isTechnician, mayRide } from './token.js';

const clock = (stamp) => new Date(stamp).getTime();

export class RideCard {
  constructor(ride) {
    this.way = el('h3');
    this.state = el('span', { class: 'chip state' });
    this.about = el('p', { class: 'quiet about' });
    this.advice = el('p', { class: 'advice' });
    this.permit = el('p', { class: 'permit' });
    this.withheld = el('ul', { class: 'withheld', 'aria-label': t('ride.lacks') });
    this.fault = el('div', { class: 'fault' });
    this.line = el('ol', { class: 'line', 'aria-label': t('ride.line') });
    this.record = new RecordView(ride.ride_id);
    this.cancel = el('button', { type: 'button', class: 'small-act' }, t('ride.cancel'));
    this.reset = el('button', { type: 'button', class: 'small-act' }, t('ride.reset'));
    this.change = el('button', { type: 'button', class: 'small-act' }, t('ride.change'));
    this.change.addEventListener('click', () => changeRide(this.ride, this.floors));
    this.cancel.addEventListener('click', () => cancelRide(this.ride));
    this.reset.addEventListener('click', () => resetRide(this.ride));
    this.node = el('article', { class: 'card ride', 'data-ride': ride.ride_id },
      el('header', {}, this.way, this.state), this.about, this.advice, this.permit, this.withheld, this.fault, this.line, this.record.node,
      el('footer', {}, this.reset, this.cancel, this.change));
  }

  // update draws a ride; the floors are those of its lift.
  update(ride, floors = []) {
    this.ride = ride;
    this.floors = floors;
    const over = ride.state === 'DONE';
    set(this.node, 'data-state', ride.state);
    set(this.node, 'data-phase', ride.phase);
    set(this.node, 'data-where', ride.where);
    set(this.node, 'data-robot', ride.robot);
    say(this.way, t('ride.way', ride));
    say(this.state, word('state', ride.state));
    set(this.state, 'data-state', ride.state);
    say(this.about, this.words(ride));
    this.drawAdvice(ride, over);
    this.drawPermit(ride, over);
    this.drawFault(ride.fault);
    this.drawLine(ride.transitions);
    this.record.update(ride);
    const mine = !over && mayRide(ride.robot);
    show(this.cancel, mine);
    show(this.change, mine && floors.length > 1 && !['EXITING', 'FAULT_LOCKED'].includes(ride.state));
    show(this.reset, (ride.state === 'FAULT_LOCKED' || Boolean(ride.fault?.latched)) && !over && isTechnician());
  }

  words(ride) {
    const parts = [ride.lift ? t('ride.lift', { id: ride.lift }) : t('ride.no_lift'), word('phase', ride.phase)];
    if (ride.place > 0) parts.push(t('ride.place', { n: ride.place }));
    if (ride.place_why) parts.push(why(ride.place_why));
    if (ride.priority > 0) parts.push(t('ride.priority', { n: ride.priority }));
    if (ride.crossing_s && ride.state !== 'DONE') parts.push(t('ride.crossing', { n: ride.crossing_s }));
    if (ride.eta_ms) parts.push(t('ride.eta', { time: span(ride.eta_ms) }));
    if (ride.car_why && ride.state !== 'DONE') parts.push(why(ride.car_why));
    if (ride.state !== 'DONE') parts.push(t('ride.robot', { where: word('where', ride.where) }));
    if (ride.retries > 0) parts.push(t('ride.retry', { n: ride.retries }));
    return parts.join(' · ');
  }

  // What a permit lacks stands below by itself, so the advice need not repeat it.
  drawAdvice(ride, over) {
    show(this.advice, !over);
    const reason = ride.do.why.startsWith('no permit: ') && ride.withheld.length > 0 ? '' : why(ride.do.why);
    this.advice.replaceChildren(el('strong', {}, word('do', ride.do.do)), reason ? ` ${reason}` : '');
  }

  drawPermit(ride, over) {
    show(this.permit, Boolean(ride.permit) && !over);
    if (ride.permit) say(this.permit, t('ride.permit', { kind: word('permit', ride.permit.kind), floor: ride.permit.floor, side: word('value', ride.permit.side) }));
    show(this.withheld, ride.withheld.length > 0 && !over);
    this.withheld.replaceChildren(...ride.withheld.map((unmet) =>
      el('li', {}, el('b', {}, word('part', unmet.part)), ` ${phrase(unmet.seen || 'unknown')}`, el('span', { class: 'quiet' }, ` ${t('ride.wanted', { want: phrase(unmet.want) })}`))));
  }

  // What to do about it stands at the top of the page.
  drawFault(fault) {
    show(this.fault, Boolean(fault));
    if (!fault) return;
    this.fault.replaceChildren(
      el('p', {}, el('strong', {}, about(fault.help || fault.code)?.title ?? fault.code), ' ', el('code', {}, fault.code)),
      fault.latched ? el('p', {}, t('faults.latched')) : '');
  }

  drawLine(marks) {
    if (this.line.childElementCount > marks.length) this.line.replaceChildren();
    for (let i = this.line.childElementCount; i < marks.length; i++) {
      const mark = marks[i];
      const again = i > 0 && marks[i - 1].to === mark.to; // only the phase is new
      const after = ((clock(mark.at) - clock(marks[0].at)) / 1000).toFixed(1);
      const title = [word('phase', mark.phase), why(mark.why)].filter(Boolean).join(t('join.colon'));
      this.line.append(el('li', { 'data-state': mark.to, title },
        el('span', { class: 'mark' }, again ? word('phase', mark.phase) : word('state', mark.to)), el('time', { datetime: mark.at }, t('ride.after', { s: after }))));
    }
  }
}
