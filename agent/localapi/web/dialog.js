// A question to a person before an act: it says what will happen, asks for what the
// act needs, and gives the answers, or null when the person went back. The browser
// keeps the focus inside and gives it back afterwards; Escape goes back.

import { el } from './dom.js';
import { t } from './text.js';

const field = {
  text: (name, label, given) => el('label', {}, label, el('input', { name, maxlength: 80, required: given.required, autocomplete: 'off' })),
  choice: (name, label, given) => el('label', {}, label,
    el('select', { name }, given.options.map(([value, words]) => el('option', { value }, words)))),
};

// askPerson takes { title, text, fields: [{ name, kind, label, … }], grave }.
export function askPerson({ title, text, fields = [], grave = false }) {
  return new Promise((done) => {
    const back = el('button', { type: 'button', class: 'small-act' }, t('ask.no'));
    const form = el('form', { class: 'question', autocomplete: 'off' },
      el('h2', { id: 'question-title' }, title), el('p', {}, text),
      fields.map((each) => field[each.kind](each.name, each.label, each)),
      el('footer', {}, back, el('button', { type: 'submit', class: grave ? 'main-act grave' : 'main-act' }, t('ask.yes'))));
    const dialog = el('dialog', { 'aria-labelledby': 'question-title' }, form);
    let answers = null;
    back.addEventListener('click', () => dialog.close());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      answers = Object.fromEntries(new FormData(form));
      dialog.close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      done(answers);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
