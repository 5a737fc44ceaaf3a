// The stream of events, with its reconnects. Every value keeps the time at which
// it arrived, so that ages go on growing when the gateway falls silent.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

// follow calls on[event](data) for each event and on.state('live' | 'lost').
export function follow(on) {
  let wait = FIRST_WAIT;

  function open() {
    const source = new EventSource('/v1/events');
    for (const kind of ['hello', 'lift', 'ride', 'gone', 'shadow']) {
      source.addEventListener(kind, (event) => {
        wait = FIRST_WAIT;
        on[kind](JSON.parse(event.data));
      });
    }
    source.addEventListener('open', () => on.state('live'));
    source.addEventListener('error', () => {
      on.state('lost');
      // The browser comes back by itself after a broken line, with the last id.
      // It gives up on a refusal; then this does, ever more patiently.
      if (source.readyState !== EventSource.CLOSED) return;
      source.close();
      setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  open();
}
