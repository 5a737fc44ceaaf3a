// What the agent has, beside what is. A row differs only where both are known: what
// the agent does not know is no mistake of its, and is said as unknown.

import { SIDES } from './shape.js';

const LOOK_BACK = 400; // frames
export const LAG = 1500; // ms; a shorter difference is the time that a poll takes

// doorWord words how far a door is open.
export function doorWord(open) {
  if (open === null || open === undefined) return '';
  if (open <= 0.01) return 'closed';
  return open >= 0.99 ? 'open' : 'part open';
}

const MOVING = ['opening', 'closing', 'nudging', 'part open'];
const sameDoor = (really, has) => really === has || (really === 'part open' && MOVING.includes(has));

export function sidesOf(lift, car) {
  const served = new Set([...lift.doors.values()].flat());
  return SIDES.filter((side) => served.has(side) || Object.hasOwn(car.doors, side));
}

function doorRows(lift, car) {
  const sides = sidesOf(lift, car);
  if (car.seenDoors) return sides.map((side) => row(`door ${side}`, doorWord(car.doors[side]), car.seenDoors[side] ?? '', sameDoor));
  // One word for all doors is of the door that is furthest open.
  const opens = sides.map((side) => car.doors[side]).filter((open) => open !== null && open !== undefined);
  const really = opens.length > 0 ? doorWord(Math.max(...opens)) : '';
  return [row('door', really, car.seenDoor, sameDoor)];
}

function row(what, really, has, same = (a, b) => a === b) {
  return { what, really, has, differs: really !== '' && has !== '' && !same(really, has) };
}

// While it is connecting the agent claims neither.
const sameLink = (really, has) => !['online', 'offline'].includes(has) || (really === 'up') === (has === 'online');

// beliefs gives the rows of one lift in one frame.
export function beliefs(header, frame, index) {
  const [lift, car] = [header.lifts[index], frame.cars[index]];
  const wire = frame.wires.find((w) => w.lift === lift.id);
  const up = wire?.up === true ? 'up' : wire?.up === false ? 'down' : '';
  return [row('floor', car.floor, car.seenFloor), ...doorRows(lift, car), row('link', up, car.link, sameLink)];
}

// rowsAt adds for how long each row has differed.
export function rowsAt(run, view, index) {
  const { frames, header } = run;
  return beliefs(header, view.frame, index).map((each) => {
    if (!each.differs) return each;
    let i = view.index;
    const differs = (frame) => beliefs(header, frame, index).some((r) => r.what === each.what && r.differs);
    while (i > 0 && view.index - i < LOOK_BACK && differs(frames[i - 1])) i -= 1;
    return { ...each, since: frames[i].at };
  });
}
