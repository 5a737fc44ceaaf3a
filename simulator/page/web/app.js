// The page: which runs are on it, and one clock for all of them.

import { byId, el, say, set, show } from './dom.js';
import { Inject } from './inject.js';
import { fetchRun, readRun } from './load.js';
import { Player } from './player.js';
import { Plot } from './plot.js';
import { control, setControl, siteState } from './site.js';
import { Stage } from './stage.js';
import { follow } from './stream.js';

const PLOT_EVERY = 250; // ms
const SILENCE = 3000; // ms without a frame that are said
const CLOCK_EVERY = 2000; // ms; the site's clock may be set by others

const sources = []; // {name, load(): Promise<Run>}
let site = { live: false, inject: false, recordings: [], agent: '' };
let liveRun = null;
let line = 'connecting'; // of the stream
let heardAt = performance.now();
let stages = [];
let due = true; // words and plots must be drawn now
let plotted = -Infinity;
let loads = 0;

const panel = byId('inject-panel');
const player = new Player(() => { due = true; });
const plot = new Plot();
const inject = new Inject();

function put(runs) {
  stages = runs.map((run, i) => new Stage(run, 'AB'[i], {
    jump: (at) => player.jump(at),
    clear: run.live && site.inject ? (target, kind) => inject.clear(target, kind) : null,
  }));
  byId('stages').after(panel); // out of the stage that goes
  byId('stages').replaceChildren(...stages.map((stage) => stage.node));
  set(byId('stages'), 'data-count', stages.length);
  set(document.body, 'data-mode', runs.some((run) => run.live) ? 'live' : runs.length > 1 ? 'beside' : runs.length > 0 ? 'recording' : 'none');
  show(byId('empty'), runs.length === 0);
  tellEmpty();
  const able = site.inject && runs.some((run) => run.live);
  if (able) stages[0].side.prepend(panel);
  show(panel, able);
  player.load(runs);
}

// choose puts what the two lists say on the page. The last choice wins, however
// long the loading of another takes.
async function choose() {
  const mine = ++loads;
  const [a, b] = [byId('run-a').value, byId('run-b').value];
  byId('run-b').disabled = a === 'live' || a === '';
  if (a === 'live') {
    put(liveRun ? [liveRun] : []);
    return;
  }
  const wanted = [a, b].filter((v) => v !== '').map((v) => sources[Number(v)]);
  say(byId('said'), wanted.length > 0 ? 'Loading …' : '');
  try {
    const runs = await Promise.all(wanted.map((source) => source.load()));
    if (mine !== loads) return;
    put(runs);
    say(byId('said'), '');
  } catch (fault) {
    if (mine === loads) say(byId('said'), fault.message);
  }
}

function offer() {
  const choices = sources.map((source, i) => [String(i), source.name]);
  for (const [id, first] of [['run-a', site.live ? ['live', 'the live site'] : ['', 'nothing']], ['run-b', ['', 'nothing']]]) {
    const before = byId(id).value;
    byId(id).replaceChildren(...[first, ...choices].map(([value, name]) => el('option', { value }, name)));
    if ([...byId(id).options].some((o) => o.value === before)) byId(id).value = before;
  }
}

function add(name, load) {
  let run = null;
  sources.push({ name, load: () => (run ??= load().catch((fault) => { run = null; throw fault; })) });
  return String(sources.length - 1);
}

// open takes files from the picker, or that were dropped. Two are put side by side.
function open(files) {
  const added = [...files].slice(0, 20).map((file) => add(file.name, () => readRun(file.stream(), file.name)));
  if (added.length === 0) return;
  offer();
  byId('run-a').value = added[0];
  byId('run-b').value = added[1] ?? '';
  choose();
}

function readyFiles() {
  byId('files').addEventListener('change', () => {
    open(byId('files').files);
    byId('files').value = '';
  });
  byId('run-a').addEventListener('change', choose);
  byId('run-b').addEventListener('change', choose);
  for (const kind of ['dragover', 'drop']) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      set(document.body, 'data-drop', kind === 'dragover');
      if (kind === 'drop') open(event.dataTransfer.files);
    });
  }
  document.addEventListener('dragleave', () => set(document.body, 'data-drop', null));
}

function readyLive() {
  show(byId('live'), true);
  follow({
    state(state) {
      line = state;
      heardAt = performance.now();
      tellLine(heardAt);
    },
    run(run) {
      liveRun = run;
      if (site.inject) inject.open(run.header);
      if (byId('run-a').value === 'live') put([run]);
    },
    frame() { heardAt = performance.now(); },
  });
}

// tellEmpty says why there is no picture.
function tellEmpty() {
  const live = site.live && byId('run-a').value === 'live';
  const words = !live
    ? ['Nothing to show yet', 'Drop a recording on this page, or open one above. Two files are played side by side.']
    : line === 'lost'
      ? ['The running building does not answer', 'It is tried again by itself. Has it been stopped?']
      : ['Connecting to the running building …', 'It is drawn as soon as its first picture is here.'];
  [byId('empty-title'), byId('empty-text')].forEach((node, i) => say(node, words[i]));
}

// tellLine says how the stream is. A picture that nobody renews is no live one.
function tellLine(now) {
  const silent = line === 'live' && now - heardAt > SILENCE && byId('site-clock').dataset.paused === undefined;
  say(byId('live'), line === 'lost' ? 'reconnecting' : silent ? `no frame for ${Math.round((now - heardAt) / 1000)} s` : line);
  set(byId('live'), 'data-live', silent ? 'quiet' : line);
  tellEmpty();
  set(document.body, 'data-lost', line === 'lost' && document.body.dataset.mode === 'live');
}

// readySiteClock offers the time control of a site that has one.
async function readySiteClock() {
  const tell = (state) => {
    show(byId('site-clock'), state.able);
    say(byId('site-speed'), state.paused ? 'paused' : `${state.speed}×`);
    set(byId('site-clock'), 'data-paused', state.paused);
    set(byId('site-pause'), 'aria-pressed', state.paused ? 'true' : 'false');
    return state;
  };
  let state = await control();
  tell(state);
  if (!state.able) return;
  const order = async (change) => {
    try {
      state = tell(await setControl({ paused: state.paused, speed: state.speed || 1, ...change }));
    } catch (fault) {
      say(byId('said'), fault.message);
    }
  };
  byId('site-pause').addEventListener('click', () => order({ paused: !state.paused }));
  byId('site-step').addEventListener('click', () => order({ step: true }));
  for (const speed of [1, 10, 100]) {
    const button = el('button', { type: 'button', class: 'speed', 'data-speed': speed }, `${speed}×`);
    button.addEventListener('click', () => order({ speed, paused: false }));
    byId('site-speeds').append(button);
  }
  setInterval(() => control().then((told) => { state = tell(told); }, () => {}), CLOCK_EVERY);
}

function linkAgent(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return;
  byId('agent').href = url.href;
  show(byId('agent'), true);
}

let last = performance.now();
function frame(now) {
  player.frame(Math.min(now - last, 1000), now);
  last = now;
  for (const stage of stages) stage.draw(player.t, now, due);
  if (stages.length > 0 && (due || now - plotted >= PLOT_EVERY)) {
    const state = stages.map((stage) => `${stage.letter} ${stage.run.changes}`).join() + Math.round(player.t);
    if (due || state !== plot.state) plot.draw(stages, player.t);
    [plot.state, plotted] = [state, now];
  }
  due = false;
  if (site.live) tellLine(now);
  requestAnimationFrame(frame);
}

async function begin() {
  readyFiles();
  try {
    site = await siteState();
  } catch (fault) {
    say(byId('said'), fault.message);
  }
  site.recordings.forEach((name, i) => add(name, () => fetchRun(i + 1, name)));
  offer();
  linkAgent(site.agent);
  if (site.live) {
    readyLive();
    readySiteClock().catch((fault) => say(byId('said'), fault.message));
  } else if (sources.length > 0) {
    byId('run-a').value = '0';
    byId('run-b').value = sources.length > 1 ? '1' : '';
  }
  await choose();
}

requestAnimationFrame(frame);
begin();
