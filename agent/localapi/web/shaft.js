// One shaft, cut from the side: landings left and right, the car between them.

import { say, set, svg } from './dom.js';
import { storeyOfLift } from './height.js';
import { t, word } from './text.js';

const WIDTH = { both: 340, left: 232 };
const PITCH = 70;
const TOP = 10;
const CAR = { width: 84, height: 54 };
const WALL = { left: 126, right: 214 };
const LEFT = ['front', 'left'];
const GLIDE = 180; // ms; how softly a robot is drawn over to its new place
const LONGEST_STEP = 1000; // ms; a gap between two reports longer than this is not drawn out

export class Shaft {
  constructor(lift) {
    this.labels = lift.floors.map((floor) => floor.label).join('\u0000');
    this.count = lift.floors.length;
    this.height = TOP + this.count * PITCH + 8;
    const rear = lift.floors.some((floor) => floor.doors.some((door) => !LEFT.includes(door)));
    this.width = rear ? WIDTH.both : WIDTH.left;
    this.robots = new Map();
    this.from = this.to = this.at = null;
    this.node = svg('svg', { class: 'shaft', viewBox: `0 0 ${this.width} ${this.height}`, role: 'img' });
    this.title = svg('title');
    this.node.append(this.title, this.walls(), ...lift.floors.map((floor, i) => this.landing(floor, i)));
    this.node.append(this.carNode(lift), (this.crowd = svg('g', { class: 'crowd' })));
  }

  // fits says whether this drawing is still of the same floors.
  fits(lift) {
    return this.labels === lift.floors.map((floor) => floor.label).join('\u0000');
  }

  y(storey) {
    return TOP + (this.count - storey) * PITCH - 8;
  }

  walls() {
    const { left, right } = WALL;
    const bottom = this.y(0) + 12;
    return svg('g', { class: 'walls' },
      svg('rect', { class: 'well', x: left, y: 4, width: right - left, height: bottom - 4, rx: 3 }),
      (this.rope = svg('line', { class: 'rope', x1: (left + right) / 2, x2: (left + right) / 2, y1: 4, y2: 4 })));
  }

  landing(floor, index) {
    const y = this.y(index);
    const parts = [];
    this.lamps ??= [];
    this.gates ??= [];
    const lamp = {
      car: svg('circle', { class: 'button', cx: 22, cy: y - 22, r: 15 }),
      up: this.arrow(index < this.count - 1, `M0 -7 l6 9 h-12z`, y - 32),
      down: this.arrow(index > 0, `M0 7 l6 -9 h-12z`, y - 12),
    };
    parts.push(lamp.car, svg('text', { class: 'floor-label', x: 22, y: y - 17 }, floor.label), lamp.up, lamp.down);
    const gates = {};
    for (const side of ['left', 'right']) {
      const doors = floor.doors.filter((door) => LEFT.includes(door) === (side === 'left'));
      const [x1, x2] = side === 'left' ? [46, WALL.left] : [WALL.right, this.width - 14];
      if (doors.length === 0) continue;
      parts.push(svg('line', { class: 'slab', x1, x2, y1: y, y2: y }));
      const gate = svg('rect', { class: 'gate', x: side === 'left' ? WALL.left - 2 : WALL.right - 1, y: y - CAR.height + 3, width: 3, height: CAR.height - 6, rx: 1.5 });
      gates[doors[0]] = gate;
      parts.push(gate);
    }
    this.lamps.push(lamp);
    this.gates.push(gates);
    return svg('g', { class: 'landing', 'data-floor': floor.label }, parts);
  }

  arrow(exists, path, y) {
    return exists ? svg('path', { class: 'arrow', d: path, transform: `translate(54 ${y})` }) : null;
  }

  carNode(lift) {
    const sides = new Set(lift.floors.flatMap((floor) => floor.doors));
    this.doors = {};
    this.car = svg('g', { class: 'car' }, svg('rect', { class: 'cabin', x: -CAR.width / 2, y: -CAR.height, width: CAR.width, height: CAR.height, rx: 4 }));
    for (const side of sides) {
      const x = LEFT.includes(side) ? -CAR.width / 2 - 1 : CAR.width / 2 - 5;
      const leaf = svg('rect', { class: 'leaf', x, y: -CAR.height + 3, width: 6, height: CAR.height - 6, rx: 2 });
      const out = LEFT.includes(side) ? -1 : 1;
      const sill = svg('line', { class: 'sill', x1: out * (CAR.width / 2 - 2), x2: out * (CAR.width / 2 + 10), y1: 0, y2: 0 });
      this.doors[side] = svg('g', { class: 'door', 'data-side': side }, svg('title', {}, word('value', side)), leaf, sill);
      this.car.append(this.doors[side]);
    }
    this.heading = svg('path', { class: 'heading', d: '' });
    this.car.append(this.heading);
    return this.car;
  }

  // update takes a report. The car then moves to where it was reported, in the
  // time that passed between the last two reports, and never further.
  update(lift, rides, now) {
    this.lift = lift;
    const target = storeyOfLift(lift);
    if (target !== this.to) {
      const step = this.toldAt === undefined ? 0 : Math.min(now - this.toldAt, LONGEST_STEP);
      this.from = this.at === null || target === null ? target : this.at;
      this.to = target;
      this.leftAt = now;
      this.step = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : step;
    }
    this.toldAt = now;
    set(this.car, 'data-position-mm', lift.position_mm.value);
    set(this.car, 'data-known', target !== null);
    this.drawDoors(lift);
    this.drawCalls(lift);
    this.drawRobots(rides);
    const place = lift.floor.value === null ? t('lift.pic_between') : t('lift.pic_at', { floor: lift.floor.value });
    say(this.title, t('lift.pic', { id: lift.id, place, motion: word('value', lift.motion.value ?? 'unknown') }));
  }

  drawDoors(lift) {
    for (const [side, node] of Object.entries(this.doors)) set(node, 'data-door', lift.doors[side]?.value ?? 'unknown');
    const here = lift.motion.value === 'stopped' ? lift.floors.findIndex((floor) => floor.label === lift.floor.value) : -1;
    this.gates.forEach((gates, index) => {
      for (const [side, gate] of Object.entries(gates)) set(gate, 'data-door', index === here ? lift.doors[side]?.value ?? 'unknown' : 'closed');
    });
    const heading = { up: 'M-6 -61 l6 -8 l6 8z', down: 'M-6 7 l6 8 l6 -8z' }[lift.motion.value];
    set(this.heading, 'd', heading ?? '');
  }

  drawCalls(lift) {
    lift.floors.forEach((floor, index) => {
      for (const [kind, node] of Object.entries(this.lamps[index])) {
        if (node) set(node, 'data-lit', (lift.calls[kind].value ?? []).includes(floor.label));
      }
    });
  }

  drawRobots(rides) {
    const rows = new Map(); // how many stand at a landing already
    const kept = new Set();
    for (const ride of rides) {
      kept.add(ride.ride_id);
      const robot = this.robots.get(ride.ride_id) ?? this.addRobot(ride);
      robot.goal = this.goal(ride, rows);
      set(robot.node, 'data-where', ride.where);
      set(robot.node, 'data-state', ride.state);
      say(robot.title, t('lift.pic_robot', { robot: ride.robot, where: word('where', ride.where), state: word('state', ride.state) }));
    }
    for (const [id, robot] of this.robots) {
      if (kept.has(id)) continue;
      robot.node.remove();
      this.robots.delete(id);
    }
  }

  addRobot(ride) {
    const title = svg('title');
    const body = svg('g', { class: 'robot', 'data-robot': ride.robot },
      title,
      svg('rect', { class: 'shell', x: -12, y: -27, width: 24, height: 23, rx: 7 }),
      svg('rect', { class: 'face', x: -8, y: -23, width: 16, height: 7, rx: 3.5 }),
      svg('circle', { class: 'eye', cx: -3.5, cy: -19.5, r: 1.4 }),
      svg('circle', { class: 'eye', cx: 3.5, cy: -19.5, r: 1.4 }),
      svg('circle', { class: 'wheel', cx: -6.5, cy: -3.5, r: 3.5 }),
      svg('circle', { class: 'wheel', cx: 6.5, cy: -3.5, r: 3.5 }),
      svg('text', { class: 'robot-id', x: 0, y: -8.2 }, ride.robot.slice(0, 4)));
    const robot = { node: body, title, x: null, goal: null };
    this.robots.set(ride.ride_id, robot);
    this.crowd.append(body);
    return robot;
  }

  // goal is where a robot is drawn: with the car, or at a landing.
  goal(ride, rows) {
    const leaving = ride.state === 'EXITING' || ride.state === 'DONE';
    const side = LEFT.includes(leaving ? ride.to_door : ride.from_door) ? -1 : 1;
    const centre = (WALL.left + WALL.right) / 2;
    if (ride.where === 'inside') return { aboard: true, x: centre };
    const sill = centre + side * (CAR.width / 2 + 4);
    if (ride.where !== 'outside') return { aboard: true, x: sill };
    const label = leaving ? ride.to : ride.from;
    const key = `${label}/${side}`;
    const place = rows.get(key) ?? 0;
    rows.set(key, place + 1);
    const index = this.lift.floors.findIndex((floor) => floor.label === label);
    return { aboard: false, storey: Math.max(index, 0), x: sill + side * (24 + 27 * place) };
  }

  // frame draws one picture.
  frame(now) {
    if (this.to === null || this.to === undefined) {
      set(this.car, 'hidden', true);
    } else {
      const part = this.step > 0 ? Math.min((now - this.leftAt) / this.step, 1) : 1;
      this.at = this.from + (this.to - this.from) * part;
      const y = this.y(this.at);
      set(this.car, 'hidden', null);
      set(this.car, 'transform', `translate(${(WALL.left + WALL.right) / 2} ${y.toFixed(2)})`);
      set(this.rope, 'y2', (y - CAR.height).toFixed(2));
    }
    const passed = now - (this.drawnAt ?? now);
    this.drawnAt = now;
    for (const robot of this.robots.values()) this.frameRobot(robot, passed);
  }

  frameRobot(robot, passed) {
    const { goal } = robot;
    robot.x = robot.x === null ? goal.x : robot.x + (goal.x - robot.x) * (1 - Math.exp(-passed / GLIDE));
    const storey = goal.aboard && this.at !== null ? this.at : goal.storey ?? 0;
    set(robot.node, 'transform', `translate(${robot.x.toFixed(1)} ${this.y(storey).toFixed(2)})`);
  }
}
