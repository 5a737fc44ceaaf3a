// The building, cut from the side: floors as rows, lifts as shafts, and everything
// where it really is. Dashed is what is not known.

import { set, svg } from './dom.js';
import { doorWord, LAG, sidesOf } from './belief.js';

const LABEL = 44;
const CROWD = 92; // people who wait
const SHAFT = 62;
const LANDING = { with: 58, without: 12 };
const HEAD = 50;
const FOOT = 30;
const LEVEL = 60; // mm; a car that is nearer stands at the landing
const MOST_LOST = 8; // robots that are drawn as not known where
const LEFT = ['front', 'left'];
const isLeft = (side) => LEFT.includes(side);

const person = (attributes) => svg('g', { class: 'person', ...attributes },
  svg('circle', { cx: 0, cy: -13, r: 3 }), svg('path', { d: 'M-3.6 0 v-6.4 a3.6 3.6 0 0 1 7.2 0 v6.4z' }));

const mix = (a, b, part) => (a === null || a === undefined ? null : b === null || b === undefined ? a : a + (b - a) * part);

export class Building {
  constructor(header) {
    this.header = header;
    this.measure();
    this.title = svg('title', {}, `${header.floors.length} floors, ${header.lifts.length} lifts`);
    this.node = svg('svg', { class: 'building', viewBox: `0 0 ${this.width} ${this.height}`, role: 'img' }, this.title);
    this.node.style.width = `${this.width * 1.25}px`;
    this.node.style.minWidth = `${Math.min(this.width, Math.max(this.width * 0.75, 320))}px`;
    this.rows = header.floors.map((floor, i) => this.floorRow(floor, i));
    this.shafts = header.lifts.map((lift, i) => this.shaft(lift, i));
    this.robots = new Map();
    this.crowd = svg('g', { class: 'robots' });
    this.lost = svg('text', { class: 'lost', x: 6, y: this.height - 10 });
    this.node.append(this.crowd, ...this.shafts.map((s) => s.people), this.lost); // a count is not behind a robot
  }

  // measure lays floors out by their heights, but none too near or too far.
  measure() {
    const { floors, lifts } = this.header;
    const gaps = floors.slice(1).map((floor, i) => floor.mm - floors[i].mm);
    const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] || 3000;
    this.pitch = Math.min(Math.max(430 / floors.length, 30), 62);
    this.carHeight = Math.min(this.pitch * 0.76, 42);
    this.height = HEAD + this.pitch + FOOT + gaps.reduce((sum, gap) => sum + this.pitchOf(gap / usual), 0);
    let y = this.height - FOOT - 6;
    this.ys = floors.map((_, i) => (i === 0 ? y : (y -= this.pitchOf(gaps[i - 1] / usual))));
    let x = LABEL + CROWD;
    this.slots = lifts.map((lift) => {
      const served = [...lift.doors.values()].flat();
      const slot = { left: x };
      slot.x = x + (served.some(isLeft) ? LANDING.with : LANDING.without);
      slot.middle = slot.x + SHAFT / 2;
      x = slot.x + SHAFT + (served.some((side) => !isLeft(side)) ? LANDING.with : LANDING.without);
      slot.right = x;
      return slot;
    });
    this.width = x + 6;
  }

  pitchOf(share) { return this.pitch * Math.min(Math.max(share, 0.85), 1.8); }

  y(mm) {
    const { floors } = this.header;
    if (floors.length === 1) return this.ys[0];
    let i = 0;
    while (i < floors.length - 2 && mm > floors[i + 1].mm) i += 1;
    const share = (mm - floors[i].mm) / (floors[i + 1].mm - floors[i].mm);
    return this.ys[i] + (this.ys[i + 1] - this.ys[i]) * Math.min(Math.max(share, -0.3), 1.3);
  }

  yOfLabel(label) {
    const i = this.header.floors.findIndex((floor) => floor.label === label);
    return i < 0 ? null : this.ys[i];
  }

  floorRow(floor, i) {
    const y = this.ys[i];
    const row = {};
    for (const [way, x, arrow] of [['up', LABEL + 16, 'M0 -4.5 l4.5 6 h-9z'], ['down', LABEL + 58, 'M0 3 l4.5 -6 h-9z']]) {
      row[way] = svg('g', { class: 'wait', 'data-way': way, transform: `translate(${x} ${y})`, hidden: true },
        person({ transform: 'translate(0 -2)' }), svg('path', { class: 'way', d: arrow, transform: 'translate(11 -15)' }),
        (row[`${way}Text`] = svg('text', { class: 'count', x: 6.5, y: -3 })));
    }
    this.node.append(svg('g', { class: 'floor', 'data-floor': floor.label },
      svg('line', { class: 'slab', x1: 4, x2: this.width - 4, y1: y, y2: y }),
      svg('text', { class: 'floor-label', x: LABEL - 8, y: y - 6 }, floor.label.slice(0, 6)), row.up, row.down));
    return row;
  }

  shaft(lift, index) {
    const slot = this.slots[index];
    const top = HEAD - 6;
    const bottom = this.height - FOOT;
    const s = { landings: [], doors: {} };
    const served = this.header.floors.map((floor) => lift.doors.get(floor.label) ?? []);
    const group = svg('g', { class: 'shaft', 'data-lift': lift.id },
      (s.name = svg('text', { class: 'lift-name', x: slot.middle, y: 16 }, lift.id.slice(0, 12))),
      (s.mode = svg('text', { class: 'lift-mode', x: slot.middle, y: 31 })),
      svg('rect', { class: 'well', x: slot.x, y: top, width: SHAFT, height: bottom - top, rx: 3 }),
      (s.rope = svg('line', { class: 'rope', x1: slot.middle, x2: slot.middle, y1: top, y2: top })));
    this.header.floors.forEach((floor, i) => group.append(this.landing(s, slot, served[i], i)));
    group.append((s.ghost = this.ghost(slot)), (s.lostCar = this.lostCar(slot)), (s.car = this.car(s, lift)));
    group.append((s.badge = svg('g', { class: 'badge', transform: `translate(${slot.x + SHAFT - 2} 14)`, hidden: true },
      svg('circle', { r: 8 }), svg('text', { y: 3.5 }, '!'), (s.badgeTitle = svg('title')))));
    s.group = group;
    this.node.append(group);
    return s;
  }

  landing(s, slot, sides, i) {
    const y = this.ys[i];
    const gateHeight = this.carHeight - 4;
    const x = slot.x - 9;
    const parts = {
      up: sides.length && i < this.header.floors.length - 1 ? svg('path', { class: 'lamp', 'data-way': 'up', d: 'M0 -5 l4.5 6 h-9z', transform: `translate(${x} ${y - this.pitch / 2 - 3})` }) : null,
      down: sides.length && i > 0 ? svg('path', { class: 'lamp', 'data-way': 'down', d: 'M0 5 l4.5 -6 h-9z', transform: `translate(${x} ${y - this.pitch / 2 + 5})` }) : null,
      call: svg('circle', { class: 'call', cx: slot.middle, cy: y - this.carHeight / 2, r: 4 }),
      gates: {},
    };
    for (const side of sides) {
      const gx = isLeft(side) ? slot.x - 3 : slot.x + SHAFT;
      parts.gates[side] = svg('rect', { class: 'gate', 'data-side': side, x: gx, y: y - gateHeight, width: 3, height: gateHeight });
    }
    s.landings.push(parts);
    return svg('g', { class: 'landing', 'data-floor': this.header.floors[i].label }, [parts.up, parts.down, parts.call], Object.values(parts.gates));
  }

  // ghost is where the agent takes the car to be.
  ghost(slot) {
    return svg('g', { class: 'ghost', hidden: true },
      svg('rect', { x: slot.x + 1, y: -this.carHeight, width: SHAFT - 2, height: this.carHeight, rx: 4 }),
      svg('text', { x: slot.middle, y: -this.carHeight / 2 + 4 }, 'agent'));
  }

  lostCar(slot) {
    const y = (HEAD + this.height - FOOT) / 2;
    return svg('g', { class: 'unknown-car', hidden: true, 'data-known': 'no' },
      svg('rect', { x: slot.x + 5, y: y - this.carHeight / 2, width: SHAFT - 10, height: this.carHeight, rx: 4 }),
      svg('text', { x: slot.middle, y: y + 5 }, '?'));
  }

  car(s, lift) {
    const wide = SHAFT - 10;
    s.people = svg('g', { class: 'riders', 'data-lift': lift.id, hidden: true },
      person({ transform: 'translate(-19 -6)' }), (s.peopleText = svg('text', { class: 'count', x: -24, y: Math.max(-26, 10 - this.carHeight) })));
    const car = svg('g', { class: 'car', 'data-lift': lift.id },
      svg('rect', { class: 'cabin', x: -wide / 2, y: -this.carHeight, width: wide, height: this.carHeight, rx: 3 }),
      svg('rect', { class: 'load-ground', x: -wide / 2 + 8, y: -5, width: wide - 16, height: 3, rx: 1.5 }),
      (s.load = svg('rect', { class: 'load', x: -wide / 2 + 8, y: -5, width: 0, height: 3, rx: 1.5 })),
      (s.heading = svg('path', { class: 'heading' })),
      (s.note = svg('text', { class: 'car-note', x: 0, y: -this.carHeight + 10 })));
    const sides = new Set([...lift.doors.values()].flat());
    for (const side of sides.size > 0 ? sides : ['front']) {
      const leaf = svg('rect', { class: 'leaf', 'data-side': side, x: isLeft(side) ? -wide / 2 - 2 : wide / 2 - 2, y: -this.carHeight + 2, width: 4, height: this.carHeight - 4, rx: 1.5 });
      s.doors[side] = leaf;
      car.append(leaf);
    }
    return car;
  }

  // draw is for each picture of the screen: only what moves.
  draw(view) {
    const { frame, next, part } = view;
    this.carYs = this.header.lifts.map((lift, i) => this.drawCar(this.shafts[i], i, frame.cars[i], next.cars[i], part));
    for (const robot of this.robots.values()) this.place(robot);
  }

  drawCar(s, i, now, then, part) {
    const mm = mix(now.mm, then.mm, part);
    set(s.car, 'hidden', mm === null);
    set(s.people, 'hidden', mm === null || !now.people);
    set(s.lostCar, 'hidden', mm !== null);
    set(s.group, 'data-position-mm', mm === null ? null : Math.round(mm));
    const y = mm === null ? null : this.y(mm);
    if (y !== null) {
      for (const node of [s.car, s.people]) set(node, 'transform', `translate(${this.slots[i].middle} ${y.toFixed(2)})`);
      set(s.rope, 'y2', (y - this.carHeight).toFixed(2));
    }
    set(s.rope, 'hidden', y === null);
    for (const [side, leaf] of Object.entries(s.doors)) this.drawDoor(s, side, leaf, mix(now.doors[side], then.doors[side], part), mm);
    return y;
  }

  drawDoor(s, side, leaf, open, mm) {
    const tall = this.carHeight - 4;
    set(leaf, 'data-known', open === null ? 'no' : null);
    set(leaf, 'data-open', open === null ? null : open.toFixed(2));
    set(leaf, 'data-door', doorWord(open) || 'unknown');
    set(leaf, 'height', (tall * (1 - (open ?? 0) * 0.92)).toFixed(2));
    s.landings.forEach((landing, i) => {
      const gate = landing.gates[side];
      if (!gate) return;
      const here = mm !== null && Math.abs(mm - this.header.floors[i].mm) < LEVEL;
      set(gate, 'height', (tall * (1 - (here ? open ?? 0 : 0) * 0.92)).toFixed(2));
    });
  }

  // tell is for each new frame: everything else.
  tell(view, rows) {
    const { frame } = view;
    const faults = Map.groupBy(frame.faults, (fault) => fault.target);
    this.header.lifts.forEach((lift, i) => this.tellLift(this.shafts[i], lift, frame.cars[i], rows[i], frame.at, faults.get(lift.id) ?? []));
    this.tellWaiting(frame.waiting);
    this.tellRobots(frame.robots, faults);
    this.draw(view);
  }

  tellLift(s, lift, car, rows, at, faults) {
    this.header.floors.forEach((floor, i) => {
      const { up, down, call } = s.landings[i];
      if (up) set(up, 'data-lit', car.up.has(floor.label));
      if (down) set(down, 'data-lit', car.down.has(floor.label));
      set(call, 'data-lit', car.calls.has(floor.label));
    });
    s.mode.textContent = car.mode || 'mode unknown';
    set(s.mode, 'data-calm', car.mode === 'normal');
    const share = car.load === null || lift.rated === 0 ? 0 : car.load / lift.rated;
    set(s.load, 'width', ((SHAFT - 26) * Math.min(share, 1)).toFixed(1));
    set(s.load, 'data-over', share > 1);
    set(s.people, 'data-count', car.people || null);
    s.peopleText.textContent = car.people ? `×${car.people}` : '';
    set(s.note, 'x', car.people ? 9 : 0);
    s.note.textContent = car.error ? `E${car.error}` : car.blocked ? 'blocked' : '';
    const up = -this.carHeight - 3;
    set(s.heading, 'd', { up: `M-6 ${up} l6 -8 l6 8z`, down: `M-6 3 l6 8 l6 -8z` }[car.motion] ?? '');
    this.tellGhost(s, car, rows[0], at);
    set(s.badge, 'hidden', faults.length === 0);
    s.badgeTitle.textContent = faults.map((fault) => fault.name).join(', ');
    set(s.group, 'data-faults', faults.map((fault) => fault.name).join(' ') || null);
  }

  tellGhost(s, car, floor, at) {
    const y = this.yOfLabel(car.seenFloor);
    set(s.ghost, 'hidden', y === null);
    set(s.ghost, 'data-differs', floor.differs ? (at - floor.since >= LAG ? 'yes' : 'lag') : null);
    if (y !== null) set(s.ghost, 'transform', `translate(0 ${y.toFixed(2)})`);
    set(s.name, 'data-unseen', y === null);
    s.name.textContent = y === null ? `${s.group.dataset.lift.slice(0, 10)} ?` : s.group.dataset.lift.slice(0, 12);
  }

  tellWaiting(waiting) {
    const at = new Map(waiting.map((w) => [w.floor, w]));
    this.header.floors.forEach((floor, i) => {
      for (const way of ['up', 'down']) {
        const n = at.get(floor.label)?.[way] ?? 0;
        set(this.rows[i][way], 'hidden', n === 0);
        set(this.rows[i][way], 'data-count', n);
        this.rows[i][`${way}Text`].textContent = n > 0 ? String(n) : '';
      }
    });
  }

  // tellRobots draws each robot of the header too that the frame says nothing of.
  tellRobots(told, faults) {
    const ids = new Set(told.map((robot) => robot.id));
    const silent = this.header.robots.filter((id) => !ids.has(id)).map((id) => ({ id, where: '', lift: '', floor: '', does: '' }));
    this.placeRobots([...told, ...silent], faults);
  }

  placeRobots(robots, faults) {
    const seen = new Set();
    const crowd = new Map();
    let lost = 0;
    for (const told of robots) {
      if (seen.has(told.id)) continue;
      seen.add(told.id);
      const robot = this.robots.get(told.id) ?? this.newRobot(told.id);
      robot.goal = this.goal(told, crowd);
      if (!robot.goal.known) robot.goal.x = 134 + 24 * lost++;
      set(robot.node, 'hidden', !robot.goal.known && lost > MOST_LOST);
      set(robot.node, 'data-where', robot.goal.known ? told.where : 'unknown');
      set(robot.node, 'data-faults', (faults.get(told.id) ?? []).map((f) => f.name).join(' ') || null);
      robot.title.textContent = [told.id, told.where || 'not known where', told.does, ...(faults.get(told.id) ?? []).map((f) => f.name)].filter(Boolean).join(': ');
    }
    this.lost.textContent = lost > MOST_LOST ? `Not known where (${lost})` : lost > 0 ? 'Not known where' : '';
    for (const [id, robot] of this.robots) {
      if (seen.has(id)) continue;
      robot.node.remove();
      this.robots.delete(id);
    }
  }

  newRobot(id) {
    const robot = { title: svg('title') };
    robot.node = svg('g', { class: 'robot', 'data-robot': id }, robot.title,
      svg('rect', { class: 'shell', x: -10, y: -23, width: 20, height: 20, rx: 6 }),
      svg('circle', { class: 'eye', cx: -3.5, cy: -18, r: 1.5 }), svg('circle', { class: 'eye', cx: 3.5, cy: -18, r: 1.5 }),
      svg('circle', { class: 'wheel', cx: -5.5, cy: -3, r: 3 }), svg('circle', { class: 'wheel', cx: 5.5, cy: -3, r: 3 }),
      svg('text', { class: 'robot-id', y: -8 }, id.slice(0, 4)), svg('circle', { class: 'robot-fault', cx: 10, cy: -22, r: 4 }));
    this.robots.set(id, robot);
    this.crowd.append(robot.node);
    return robot;
  }

  // goal is where a robot stands: at a height of its own, or with a car.
  goal(told, crowd) {
    const lift = this.header.lifts.findIndex((l) => l.id === told.lift);
    const y = this.yOfLabel(told.floor);
    const place = (key) => {
      crowd.set(key, (crowd.get(key) ?? -1) + 1);
      return crowd.get(key);
    };
    if (told.where === 'car' && lift >= 0) return { known: true, lift, x: this.slots[lift].middle + 12 - 11 * place(`car ${lift}`) };
    if (y === null || !['landing', 'doorway'].includes(told.where)) return { known: false, y: this.height - 4 };
    if (lift < 0) return { known: told.where === 'landing', y, x: LABEL + CROWD - 12 - 16 * place(`row ${told.floor}`) };
    const sides = this.header.lifts[lift].doors.get(told.floor) ?? sidesOf(this.header.lifts[lift], { doors: {} });
    const left = sides.length === 0 || sides.some(isLeft);
    const edge = left ? this.slots[lift].x : this.slots[lift].x + SHAFT;
    if (told.where === 'doorway') return { known: true, y, x: edge + (left ? 1 : -1) };
    const far = 28 + 15 * place(`landing ${lift} ${told.floor}`);
    return { known: true, y, x: edge + (left ? -far : far) };
  }

  place(robot) {
    const { goal } = robot;
    const y = goal.lift === undefined ? goal.y : this.carYs[goal.lift] ?? (HEAD + this.height) / 2;
    set(robot.node, 'transform', `translate(${goal.x.toFixed(1)} ${y.toFixed(2)})`);
  }
}
