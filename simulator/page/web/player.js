// One clock for all the runs on the page. In a live run it follows the newest frame
// until somebody takes hold of it.

import { byId, clock, el, say, set, show, svg } from './dom.js';

const SPEEDS = [1, 10, 100];
const MARKS = 400; // on the bar at most, one a place
const LONGEST_STEP = 1000; // ms; a longer gap between two frames is not drawn out

export class Player {
  // moved() is called when the time was set by hand.
  constructor(moved) {
    Object.assign(this, { runs: [], t: 0, playing: false, follow: false, speed: 1, moved });
    this.bar = byId('scrub');
    this.bar.addEventListener('input', () => this.jump(Number(this.bar.value)));
    byId('play').addEventListener('click', () => this.toggle());
    byId('before').addEventListener('click', () => this.step(false));
    byId('after').addEventListener('click', () => this.step(true));
    byId('follow').addEventListener('click', () => this.goLive());
    for (const speed of SPEEDS) {
      const button = el('button', { type: 'button', class: 'speed', 'data-speed': speed }, `${speed}×`);
      button.addEventListener('click', () => this.setSpeed(speed));
      byId('speeds').append(button);
    }
    document.addEventListener('keydown', (event) => this.key(event));
    this.tell();
  }

  get live() { return this.runs.some((run) => run.live); }
  get start() { return this.runs.length ? Math.min(...this.runs.map((run) => run.start)) : 0; }
  get end() { return this.runs.length ? Math.max(...this.runs.map((run) => run.end)) : 0; }

  load(runs) {
    this.runs = runs;
    this.follow = this.live;
    this.playing = false;
    this.marked = this.arrivedAt = undefined;
    this.t = this.follow ? this.end : this.start;
    this.tell();
    this.moved();
  }

  jump(t) {
    this.follow = this.playing = false;
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.tell();
    this.moved();
  }

  toggle() {
    if (this.follow || this.playing) this.follow = this.playing = false;
    else {
      if (this.t >= this.end && !this.live) this.t = this.start;
      this.playing = true;
    }
    this.tell();
    this.moved();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (!this.follow) this.playing = this.t < this.end;
    this.tell();
  }

  goLive() {
    this.follow = this.live;
    this.playing = false;
    this.tell();
  }

  // step goes to the event next to now, of any of the runs, and rests there.
  step(forward) {
    const times = this.runs.map((run) => run.beside(this.t, forward)).filter((at) => at !== null);
    if (times.length > 0) this.jump(forward ? Math.min(...times) : Math.max(...times));
    else this.jump(forward ? this.end : this.start);
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || this.runs.length === 0) return;
    const at = event.target.closest?.('input, select, textarea, button, a, summary, [role="log"]');
    if (at && !(at === this.bar && event.key === ' ')) {
      const arrow = event.key.startsWith('Arrow');
      if (!(arrow && at.matches('button'))) return; // its own keys are its own
    }
    const act = { ' ': () => this.toggle(), ArrowRight: () => this.step(true), ArrowLeft: () => this.step(false) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // frame moves the clock on by the time that passed on the wall.
  frame(passed, now) {
    if (this.follow) this.glide(now);
    else if (this.playing) {
      this.t = Math.min(this.t + passed * this.speed, this.end);
      if (this.t >= this.end) {
        this.playing = false;
        this.follow = this.live;
      }
    }
    this.tell();
  }

  // glide comes to the newest frame in the time that the one before it took.
  glide(now) {
    const { end } = this;
    if (end !== this.goal || this.arrivedAt === undefined) {
      this.pace = this.arrivedAt === undefined ? 0 : Math.min(now - this.arrivedAt, LONGEST_STEP);
      [this.from, this.goal, this.arrivedAt] = [this.pace === 0 ? end : this.t, end, now];
    }
    const part = this.pace > 0 ? Math.min((now - this.arrivedAt) / this.pace, 1) : 1;
    this.t = this.from + (end - this.from) * part;
  }

  tell() {
    const going = this.playing || this.follow;
    say(byId('play'), going ? 'Pause' : 'Play');
    set(byId('play'), 'aria-pressed', going ? 'true' : 'false');
    set(byId('player'), 'data-playing', going);
    say(byId('clock'), `${clock(this.t)} of ${clock(this.end)}`);
    set(byId('clock'), 'data-at-ms', Math.round(this.t));
    for (const button of byId('speeds').children) set(button, 'aria-pressed', Number(button.dataset.speed) === this.speed ? 'true' : 'false');
    show(byId('follow'), this.live);
    set(byId('follow'), 'aria-pressed', this.follow ? 'true' : 'false');
    for (const [name, value] of [['min', this.start], ['max', this.end]]) set(this.bar, name, value);
    if (Number(this.bar.value) !== Math.round(this.t)) this.bar.value = Math.round(this.t);
    set(this.bar, 'aria-valuetext', clock(this.t));
    this.mark();
  }

  // mark draws a line for each event on the bar; where many meet, one.
  mark() {
    const state = this.runs.map((run) => `${run.events.length} ${run.start} ${run.end}`).join();
    const now = performance.now();
    if (state === this.marked || (this.markedAt !== undefined && this.live && now - this.markedAt < 1000)) return;
    [this.marked, this.markedAt] = [state, now];
    const { start, end } = this;
    const places = new Map();
    this.runs.forEach((run, row) => {
      for (const event of run.events) {
        if (event.at < start || event.at > end) continue;
        const place = end > start ? Math.round(((event.at - start) / (end - start)) * MARKS) : 0;
        const key = `${row}/${place}`;
        places.set(key, { row, place, bad: event.bad || (places.get(key)?.bad ?? false) });
      }
    });
    const tall = 12 / Math.max(this.runs.length, 1);
    byId('marks').replaceChildren(...[...places.values()].map(({ row, place, bad }) =>
      svg('rect', { x: place - 0.5, y: row * tall, width: 1, height: tall - 1, 'data-bad': bad })));
  }
}
