// What comes from outside, made safe to draw: a number is a number or null, a word
// is a word or empty, and both of these mean that it is not known. What cannot be
// drawn at all is refused.

const FORMAT = 1;
const MOST = { floors: 300, lifts: 64, robots: 1000, list: 20_000, word: 400 };
export const SIDES = ['front', 'left', 'rear', 'right'];

const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const number = (v) => (typeof v === 'number' && Number.isFinite(v) ? v : null);
const count = (v) => Math.max(number(v) ?? 0, 0);
const word = (v) => (typeof v === 'string' ? v.slice(0, MOST.word) : '');
const known = (v) => (v === 'unknown' ? '' : word(v)); // some say it in a word
const list = (v) => (Array.isArray(v) ? v.slice(0, MOST.list) : []);
const words = (v) => list(v).map(word).filter((w) => w !== '');
const objects = (v) => list(v).filter(isObject);

function sides(v, value) {
  const open = {};
  if (isObject(v)) for (const side of SIDES) if (Object.hasOwn(v, side)) open[side] = value(v[side]);
  return open;
}

const part = (v) => (number(v) === null ? null : Math.min(Math.max(v, 0), 1));

export function readHeader(v) {
  if (!isObject(v) || v.hoistway_picture !== FORMAT) throw new Error(`not a recording of format ${FORMAT}`);
  const floors = objects(v.floors).map((f, i) => ({ label: word(f.label), mm: number(f.height_mm) ?? i * 3000 }));
  const lifts = objects(v.lifts).map((l) => ({
    id: word(l.id), wire: word(l.wire), rated: count(l.rated_kg), recall: word(l.recall),
    doors: new Map(isObject(l.doors) ? Object.entries(l.doors).map(([floor, at]) => [floor, words(at).filter((s) => SIDES.includes(s))]) : []),
  }));
  if (floors.length === 0 || floors.length > MOST.floors) throw new Error(`${floors.length} floors cannot be drawn`);
  if (lifts.length === 0 || lifts.length > MOST.lifts) throw new Error(`${lifts.length} lifts cannot be drawn`);
  if (floors.some((f, i) => i > 0 && f.mm <= floors[i - 1].mm)) throw new Error('a floor is not above the one before it');
  return {
    title: word(v.title), seed: typeof v.seed === 'number' ? String(v.seed) : '', virtual: v.virtual === true,
    floors, lifts, robots: words(v.robots).slice(0, MOST.robots), again: word(v.again),
  };
}

function readCar(v) {
  const c = isObject(v) ? v : {};
  return {
    mm: number(c.position_mm), speed: number(c.speed_mm_s), floor: word(c.floor), motion: known(c.motion),
    doors: sides(c.doors, part), up: new Set(words(c.up)), down: new Set(words(c.down)), calls: new Set(words(c.calls)),
    mode: known(c.mode), load: number(c.load_kg), people: number(c.people), blocked: c.blocked === true, error: count(c.error),
    link: known(c.link), seenFloor: known(c.seen_floor), seenDoor: known(c.seen_door),
    seenDoors: isObject(c.seen_doors) ? sides(c.seen_doors, known) : null,
    state: word(c.state), owner: word(c.owner), alarms: words(c.alarms).slice(0, 20),
  };
}

const readWire = (w) => ({
  lift: word(w.lift), up: typeof w.up === 'boolean' ? w.up : null, asked: count(w.asked), answered: count(w.answered),
  spoiled: count(w.spoiled), wrote: count(w.wrote), last: word(w.last),
});

const readRide = (r) => ({
  id: word(r.id), robot: word(r.robot), lift: word(r.lift), from: word(r.from), to: word(r.to), state: word(r.state),
  phase: word(r.phase), permit: word(r.permit), fault: word(r.fault), why: word(r.why),
});

const readFault = (f) => ({
  name: word(f.name), target: word(f.target), arg: word(f.arg), since: count(f.since_ms), left: count(f.left_ms), struck: count(f.struck),
});

// readFrame makes a frame for the lifts of a header.
export function readFrame(v, header) {
  if (!isObject(v) || number(v.at_ms) === null || v.at_ms < 0) throw new Error('a frame without its time');
  const cars = list(v.cars);
  const cloud = isObject(v.cloud) ? v.cloud : {};
  return {
    at: v.at_ms,
    cars: header.lifts.map((_, i) => readCar(cars[i])),
    waiting: objects(v.waiting).map((w) => ({ floor: word(w.floor), up: count(w.up), down: count(w.down) })),
    robots: objects(v.robots).slice(0, MOST.robots).map((r) => ({ id: word(r.id), where: word(r.where), lift: word(r.lift), floor: word(r.floor), does: word(r.do) })),
    rides: objects(v.rides).map(readRide),
    wires: objects(v.wires).map(readWire),
    faults: objects(v.faults).map(readFault),
    cloud: { online: typeof cloud.online === 'boolean' ? cloud.online : null, version: number(cloud.version), delta: cloud.delta === true },
    events: objects(v.events).map((e) => ({ at: number(e.at_ms) ?? v.at_ms, who: word(e.who), text: word(e.text), bad: e.bad === true })),
    waits: list(v.waits_ms).filter((ms) => number(ms) !== null && ms >= 0),
    rideWaits: list(v.ride_waits_ms).filter((ms) => number(ms) !== null && ms >= 0),
  };
}
