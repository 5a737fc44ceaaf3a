// The live run: a header, what went before, and frames. A line that broke begins
// anew.

import { readFrame, readHeader } from './shape.js';
import { Run } from './run.js';

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15_000;

// follow calls on.run(run) when a run begins, on.frame() at each frame and
// on.state('live' | 'lost').
export function follow(on) {
  let wait = FIRST_WAIT;
  let run = null;

  function take(data) {
    if (run === null) return;
    try {
      run.add(readFrame(JSON.parse(data), run.header));
    } catch (fault) {
      run.trouble = fault.message;
    }
    on.frame();
  }

  function open() {
    const source = new EventSource('/sim/stream');
    source.addEventListener('header', (event) => {
      wait = FIRST_WAIT;
      run = new Run(readHeader(JSON.parse(event.data)), 'live', true);
      on.run(run);
    });
    source.addEventListener('past', (event) => {
      for (const frame of JSON.parse(event.data)) run.happened(readFrame(frame, run.header));
    });
    source.addEventListener('frame', (event) => take(event.data));
    source.addEventListener('open', () => on.state('live'));
    source.addEventListener('error', () => {
      on.state('lost');
      if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
      source.close();
      setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }
  open();
}
