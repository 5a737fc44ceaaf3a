// Recordings, read line by line as they come. What was read before a fault is
// shown, with the fault.

import { readFrame, readHeader } from './shape.js';
import { Run } from './run.js';

const MOST_BYTES = 512 * 2 ** 20;
const MOST_FRAMES = 200_000;
const MOST_LINE = 2 ** 20;

async function* linesOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes > MOST_BYTES) throw new Error('the recording is too long');
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      if (rest.length > MOST_LINE) throw new Error('a line is too long');
      yield* lines;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (rest.trim() !== '') yield rest;
}

// readRun makes a run of a stream of bytes.
export async function readRun(stream, name) {
  let run = null;
  let n = 0;
  try {
    for await (const line of linesOf(stream)) {
      n += 1;
      const value = JSON.parse(line);
      if (run === null) run = new Run(readHeader(value), name);
      else if (run.frames.length >= MOST_FRAMES) throw new Error('the recording has too many frames');
      else run.add(readFrame(value, run.header));
    }
  } catch (fault) {
    if (run === null || run.frames.length === 0) throw new Error(`${name}, line ${Math.max(n, 1)}: ${fault.message}`);
    run.trouble = `Line ${n} cannot be read (${fault.message}). What came before it is shown.`;
  }
  if (run === null || run.frames.length === 0) throw new Error(`${name}: there is nothing in it to show`);
  return run;
}

// fetchRun loads the n-th recording that the site offers.
export async function fetchRun(n, name) {
  const answer = await fetch(`/sim/recordings/${n}`);
  if (!answer.ok) throw new Error((await answer.json()).error);
  return readRun(answer.body, name);
}
