// The form that calls a lift.

import { note } from './acts.js';
import { byId, el, say } from './dom.js';
import { t } from './text.js';
import { ask, caller, isRobot, isTechnician } from './token.js';

const ANY = 'any';

export function readyForm(lifts) {
  const locked = !isTechnician() && !isRobot();
  byId('call-fields').disabled = locked;
  if (locked) say(byId('call-said'), t('call.locked'));
  byId('call-robot').readOnly = isRobot();
  byId('call-lift').addEventListener('change', () => drawFloors(lifts));
  byId('call').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
}

// drawRobots offers those whom this page may call a lift for.
export function drawRobots(all) {
  const ids = isRobot() ? [caller.name] : all;
  byId('call-robots').replaceChildren(...ids.map((id) => el('option', { value: id })));
  const field = byId('call-robot');
  if (!field.value && ids.length > 0) field.value = ids[0];
}

// drawChoices offers the lifts and, for the chosen one, its floors.
export function drawChoices(lifts) {
  const ids = [...lifts.keys()];
  offer(byId('call-lift'), ids.length > 1 ? [...ids, ANY] : ids);
  drawFloors(lifts);
}

function drawFloors(lifts) {
  const chosen = byId('call-lift').value;
  const labels = new Set();
  for (const [id, lift] of lifts) {
    if (chosen === id || chosen === ANY) lift.floors.forEach((floor) => labels.add(floor.label));
  }
  offer(byId('call-from'), [...labels]);
  offer(byId('call-to'), [...labels], labels.size - 1);
}

// offer changes a list only when it differs, and keeps the choice.
function offer(select, words, first = 0) {
  const had = [...select.options].map((option) => option.value);
  if (had.length === words.length && had.every((word, i) => word === words[i])) return;
  const chosen = select.value;
  select.replaceChildren(...words.map((word) => el('option', { value: word }, word === ANY ? t('call.any') : word)));
  if (words.includes(chosen)) select.value = chosen;
  else if (words.length > 0) select.selectedIndex = Math.max(first, 0);
}

async function submit() {
  const wish = Object.fromEntries(new FormData(byId('call')));
  const what = `${t('call.head')} ${t('ride.way', wish)}`;
  say(byId('call-said'), t('call.asking'));
  try {
    const ride = await ask('POST', '/v1/rides', wish);
    say(byId('call-said'), t(ride.lift ? 'call.rides' : 'call.queued', ride));
    note(what);
  } catch (fault) {
    say(byId('call-said'), fault.message);
    note(what, fault.message);
  }
}
