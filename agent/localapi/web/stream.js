// The stream of events, with its reconnects. Every value keeps the time at which
// it arrived, so that ages go on growing when the gateway falls silent.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
const QUIET = 8000; // ms without an event after which the gateway is asked whether it lives
const ANSWER_WITHIN = 4000;
const KINDS = ['hello', 'lift', 'ride', 'gone', 'shadow'];

// follow calls on[event](data) for each event and on.state('live' | 'lost').
export function follow(on) {
  let wait = FIRST_WAIT;
  let heard = performance.now();
  let source;

  function open() {
    source = new EventSource('/v1/events');
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        wait = FIRST_WAIT;
        heard = performance.now();
        on.state('live');
        on[kind](JSON.parse(event.data));
      });
    }
    source.addEventListener('error', () => {
      on.state('lost');
      // The browser comes back by itself after a broken line, with the last id.
      // It gives up on a refusal; then this does, ever more patiently.
      if (source.readyState === EventSource.CLOSED) again();
    });
  }

  function again() {
    source.close();
    setTimeout(open, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  // A line that is cut without a word makes no error: nothing comes any more.
  async function probe() {
    if (source.readyState === EventSource.OPEN && performance.now() - heard > QUIET) {
      const lives = await fetch('/healthz', { signal: AbortSignal.timeout(ANSWER_WITHIN) }).then((answer) => answer.ok, () => false);
      if (lives) heard = performance.now();
      else {
        on.state('lost');
        again();
      }
    }
    setTimeout(probe, QUIET / 4);
  }

  open();
  setTimeout(probe, QUIET);
}
