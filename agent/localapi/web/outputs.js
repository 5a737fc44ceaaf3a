// What the gateway has asked of a lift and has still to take back: fetched when a person
// opens it, and again while it is looked at.

import { el, say } from './dom.js';
import { span, t, why, word } from './text.js';
import { ask } from './token.js';

const EVERY = 2000; // ms

// rows words an answer, what stands first.
function rows(told) {
  const asked = told.asked.map((each) => [word('verb', each.what), [each.floor, each.to].filter(Boolean).join(' → '),
    each.side && word('value', each.side), word('output', each.state), each.robot, each.ends_ms !== null && t('output.ends', { time: span(each.ends_ms) })]);
  const held = told.held.map((each) => [word('verb', 'hold'), word('value', each.side), t('output.kept'), t('output.ends', { time: span(each.ends_ms) })]);
  const owed = told.owed.map((each) => [word('verb', each.what), t('output.owed'), why(each.why)]);
  const line = (told.line ?? []).map((each) => [word('verb', each.what), t('output.wire'), each.ride_id,
    each.refused > 0 && t('output.refused', { n: each.refused })]);
  return [...asked, ...held, ...owed, ...line].map((parts) => parts.filter(Boolean).join(' · '));
}

export class OutputsView {
  constructor(lift) {
    this.lift = lift;
    this.list = el('ul', {});
    this.said = el('p', { class: 'quiet' });
    this.node = el('details', { class: 'record outputs' }, el('summary', {}, t('output.head')), this.list, this.said);
    this.node.addEventListener('toggle', () => this.look());
  }

  async look() {
    clearTimeout(this.next);
    if (!this.node.open || this.busy) return;
    this.busy = true;
    try {
      if (!document.hidden) this.draw(await ask('GET', `/v1/lifts/${encodeURIComponent(this.lift)}/outputs`));
    } catch (fault) {
      this.list.replaceChildren(); // what was asked a while ago may stand no longer
      say(this.said, t('output.none', { why: fault.message }));
    }
    this.busy = false;
    this.next = setTimeout(() => this.look(), EVERY);
  }

  draw(told) {
    const all = rows(told);
    this.list.replaceChildren(...all.map((words) => el('li', {}, words)));
    const said = [all.length === 0 && t('output.nothing'), told.line === null && t('output.unknown', { why: why(told.line_why) })];
    say(this.said, said.filter(Boolean).join(t('join.semicolon')));
  }
}
