// A run is a header and the frames so far, of a live site or of a recording, with
// what is needed to say how things stood at any time in it.

const LIVE_FRAMES = 4000; // that a live run keeps; older ones cannot be gone back to
const LIVE_EVENTS = 4000;
const LIVE_WAITS = 50_000;
const GAP = 3000; // ms; over a longer gap between two frames nothing is drawn as moving

// upTo is how many of the sorted items are not after t.
function upTo(items, t) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].at <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Run {
  constructor(header, name, live = false) {
    Object.assign(this, { header, name, live, frames: [], events: [], people: [], robots: [], changes: 0, trouble: '' });
  }

  get start() { return this.frames[0]?.at ?? 0; }
  get end() { return this.frames.at(-1)?.at ?? 0; }

  add(frame) {
    if (this.frames.length > 0 && frame.at < this.end) throw new Error(`time runs back from ${this.end} to ${frame.at} ms`);
    this.frames.push(frame);
    this.happened(frame);
    if (this.live) this.forget();
  }

  // happened keeps what a frame tells of the time before it.
  happened(frame) {
    for (const event of frame.events) this.insert(event);
    for (const ms of frame.waits) this.people.push({ at: frame.at, ms });
    for (const ms of frame.rideWaits) this.robots.push({ at: frame.at, ms });
    frame.events = frame.waits = frame.rideWaits = null;
    this.changes += 1;
  }

  // insert keeps events in order of their own times, which may be a little mixed.
  insert(event) {
    const last = this.events.at(-1);
    if (!last || last.at <= event.at) this.events.push(event);
    else this.events.splice(upTo(this.events, event.at), 0, event);
  }

  forget() {
    const cut = (items, most) => items.length > most * 1.25 && items.splice(0, items.length - most);
    cut(this.frames, LIVE_FRAMES);
    cut(this.events, LIVE_EVENTS);
    cut(this.people, LIVE_WAITS);
    cut(this.robots, LIVE_WAITS);
  }

  // at says how things stand at t: the frame, the one after it, and how far t is
  // on the way to that one.
  at(t) {
    const index = Math.max(upTo(this.frames, t) - 1, 0);
    const frame = this.frames[index];
    if (!frame) return null;
    const next = this.frames[index + 1];
    const gap = next ? next.at - frame.at : 0;
    const part = next && gap <= GAP && gap > 0 ? Math.min(Math.max((t - frame.at) / gap, 0), 1) : 0;
    return { index, frame, next: part > 0 ? next : frame, part };
  }

  eventsUpTo(t) { return upTo(this.events, t); }
  waitsUpTo(kind, t) { return this[kind].slice(0, upTo(this[kind], t)); }

  // beside gives the time of the event next to t, forward or back, or null.
  beside(t, forward) {
    if (forward) return this.events[upTo(this.events, t)]?.at ?? null;
    let i = upTo(this.events, t) - 1;
    while (i >= 0 && this.events[i].at >= t) i -= 1;
    return this.events[i]?.at ?? null;
  }
}
