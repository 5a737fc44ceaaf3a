// The card of one ride: where it is, what the robot is told, and what happened.

import { el, say, set, show } from './dom.js';

const clock = (stamp) => new Date(stamp).getTime();

export class RideCard {
  constructor(ride, cancel) {
    this.way = el('h3');
    this.state = el('span', { class: 'chip state' });
    this.about = el('p', { class: 'quiet about' });
    this.advice = el('p', { class: 'advice' });
    this.permit = el('p', { class: 'permit' });
    this.withheld = el('ul', { class: 'withheld', 'aria-label': 'What the permit lacks' });
    this.fault = el('div', { class: 'fault', role: 'alert' });
    this.line = el('ol', { class: 'line', 'aria-label': 'Time line' });
    this.cancel = el('button', { type: 'button', class: 'small-act' }, 'Cancel');
    this.cancel.addEventListener('click', () => cancel(this));
    this.node = el('article', { class: 'card ride', 'data-ride': ride.ride_id },
      el('header', {}, this.way, this.state), this.about, this.advice, this.permit, this.withheld, this.fault, this.line,
      el('footer', {}, this.cancel));
  }

  update(ride, mayChange) {
    this.ride = ride;
    const over = ride.state === 'DONE';
    set(this.node, 'data-state', ride.state);
    set(this.node, 'data-phase', ride.phase);
    set(this.node, 'data-where', ride.where);
    set(this.node, 'data-robot', ride.robot);
    say(this.way, `${ride.robot} · ${ride.from} → ${ride.to}`);
    say(this.state, ride.state.replace('_', ' '));
    set(this.state, 'data-state', ride.state);
    say(this.about, this.words(ride));
    show(this.advice, !over);
    this.advice.replaceChildren(el('strong', {}, ride.do.do.replaceAll('_', ' ')), ride.do.why ? ` ${ride.do.why}` : '');
    show(this.permit, Boolean(ride.permit) && !over);
    if (ride.permit) say(this.permit, `Permit to ${permitWord(ride.permit.kind)} at ${ride.permit.floor}, ${ride.permit.side}`);
    show(this.withheld, ride.withheld.length > 0 && !over);
    this.withheld.replaceChildren(...ride.withheld.map((unmet) =>
      el('li', {}, el('b', {}, unmet.part), ` ${unmet.seen || 'unknown'}`, el('span', { class: 'quiet' }, ` wanted ${unmet.want}`))));
    this.drawFault(ride.fault);
    this.drawLine(ride.transitions);
    show(this.cancel, !over);
    this.cancel.disabled = !mayChange;
    set(this.cancel, 'title', mayChange ? null : 'Needs a token');
  }

  words(ride) {
    const parts = [`Lift ${ride.lift || 'not chosen yet'}`, ride.phase];
    if (ride.place > 0) parts.push(`place ${ride.place} in the queue`);
    if (ride.state !== 'DONE') parts.push(`robot ${ride.where}`);
    if (ride.retries > 0) parts.push(`retry ${ride.retries}`);
    return parts.join(' · ');
  }

  drawFault(fault) {
    show(this.fault, Boolean(fault));
    if (!fault) return;
    this.fault.replaceChildren(
      el('strong', {}, fault.code), fault.latched ? ' latched: a person must clear it.' : '',
      fault.todo ? el('p', {}, fault.todo) : null,
      fault.help ? el('p', { class: 'quiet' }, 'More: ', el('code', {}, `hoistway help ${fault.help}`)) : null);
  }

  drawLine(marks) {
    if (this.line.childElementCount > marks.length) this.line.replaceChildren();
    for (let i = this.line.childElementCount; i < marks.length; i++) {
      const mark = marks[i];
      const again = i > 0 && marks[i - 1].to === mark.to; // only the phase is new
      const after = (clock(mark.at) - clock(marks[0].at)) / 1000;
      this.line.append(el('li', { 'data-state': mark.to, title: [mark.phase, mark.why].filter(Boolean).join(': ') },
        el('span', { class: 'mark' }, again ? mark.phase : mark.to.replace('_', ' ')), el('time', { datetime: mark.at }, `+${after.toFixed(1)} s`)));
    }
  }
}

function permitWord(kind) {
  return { enter: 'enter', leave: 'leave', back: 'leave again', evacuate: 'evacuate' }[kind] ?? kind;
}
