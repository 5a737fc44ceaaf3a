// The form that begins a fault. What it offers is the site's catalogue.

import { byId, el, say, set, show, span } from './dom.js';
import { SIDES } from './shape.js';
import { catalogue, clear, inject, targets } from './site.js';

export class Inject {
  constructor() {
    this.kinds = new Map();
    byId('inject-fault').addEventListener('change', () => this.choose());
    byId('inject').addEventListener('submit', (event) => {
      event.preventDefault();
      this.begin();
    });
    byId('clear-target').addEventListener('click', () => this.clear(byId('inject-target').value, ''));
  }

  async open(header) {
    this.floors = header.floors.map((floor) => floor.label);
    try {
      const [kinds, aims] = await Promise.all([catalogue(), targets()]);
      this.targets = aims;
      this.fill(kinds);
    } catch (fault) {
      say(byId('inject-said'), fault.message);
    }
  }

  fill(kinds) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    const chosen = byId('inject-fault').value;
    const families = Map.groupBy(kinds, (kind) => kind.family);
    byId('inject-fault').replaceChildren(...[...families].map(([family, of]) =>
      el('optgroup', { label: family }, of.map((kind) => el('option', { value: kind.name }, kind.name)))));
    if (this.kinds.has(chosen)) byId('inject-fault').value = chosen;
    this.choose();
  }

  choose() {
    const kind = this.kinds.get(byId('inject-fault').value);
    if (!kind) return;
    say(byId('inject-does'), kind.does);
    say(byId('inject-owed'), kind.owed ? `Owed: ${kind.owed}` : '');
    options(byId('inject-target'), this.targets[kind.aim] ?? []);
    this.drawArgument(kind);
    show(byId('inject-times').parentElement, kind.meets !== '');
    set(byId('inject-times'), 'placeholder', kind.meets ? 'no limit' : null);
    byId('inject-times').value = '';
    set(byId('inject-times'), 'title', kind.meets ? `how many times it strikes; each is ${kind.meets}` : null);
    byId('inject-begin').disabled = byId('inject-target').options.length === 0;
  }

  drawArgument(kind) {
    const choices = { word: kind.words, side: SIDES, landing: this.floors }[kind.takes];
    show(byId('inject-arg-field'), kind.takes !== 'nothing');
    show(byId('inject-choice'), choices !== undefined);
    show(byId('inject-arg'), choices === undefined);
    if (choices) {
      options(byId('inject-choice'), choices);
      if (choices.includes(kind.usual)) byId('inject-choice').value = kind.usual;
      return;
    }
    const word = kind.takes === 'duration' ? span : String;
    byId('inject-arg').value = '';
    set(byId('inject-arg'), 'placeholder', [kind.usual && `usually ${kind.usual}`, kind.max > kind.min && `${word(kind.min)} to ${word(kind.max)}`].filter(Boolean).join(', ') || null);
    set(byId('inject-arg'), 'required', kind.usual === '' && kind.takes !== 'nothing');
  }

  async begin() {
    const kind = this.kinds.get(byId('inject-fault').value);
    const typed = byId('inject-choice').hidden ? byId('inject-arg').value : byId('inject-choice').value;
    const order = {
      fault: kind.name, target: byId('inject-target').value, arg: kind.takes === 'nothing' ? '' : typed.trim(),
      for: byId('inject-for').value.trim(), times: kind.meets ? Number(byId('inject-times').value) : 0,
    };
    await this.tell(inject(order), `${order.fault} begun on ${order.target}.`);
  }

  async clear(target, kind) {
    await this.tell(clear(target, kind), `Cleared ${kind || 'all faults'} on ${target}.`);
  }

  async tell(work, done) {
    const said = byId('inject-said');
    try {
      await work;
      say(said, done);
      set(said, 'data-bad', null);
    } catch (fault) {
      say(said, fault.message);
      set(said, 'data-bad', true);
    }
  }
}

function options(select, values) {
  const chosen = select.value;
  select.replaceChildren(...values.map((value) => el('option', { value }, value)));
  if (values.includes(chosen)) select.value = chosen;
}
