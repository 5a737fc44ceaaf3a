// The page: what the stream tells is kept here and handed to the cards.

import { drawActs, drawAudit, goOn, stopAll } from './acts.js';
import { byId, say, set, show } from './dom.js';
import { drawFaults } from './faults.js';
import { drawChoices, drawRobots, readyForm } from './form.js';
import { LiftCard } from './lift.js';
import { RideCard } from './ride.js';
import { drawShadow } from './shadow.js';
import { follow } from './stream.js';
import { lang, loadTexts, span, speak, t, word } from './text.js';
import { caller, hasToken, isTechnician, keepToken, learnCaller, takeToken } from './token.js';

const lifts = new Map(); // id → as told
const rides = new Map();
const liftCards = new Map();
const rideCards = new Map();
const endedAt = new Map(); // ride → when this page saw it end
let lastWord = performance.now(); // of the gateway, whatever it was

const LINGER = 6000; // ms that a robot is drawn after its ride
const SHOWN_RIDES = 30;
const AGAIN = 2000; // ms until a gateway that did not answer is asked again

function ridersOf(id, now) {
  return [...rides.values()].filter((ride) => {
    if (ride.lift !== id) return false;
    if (ride.state !== 'DONE') return true;
    return now - (endedAt.get(ride.ride_id) ?? -Infinity) < LINGER;
  });
}

// laterThan is the card before which that of a lift stands, null for the end.
function laterThan(id) {
  return [...byId('lifts').children].find((node) => id.localeCompare(node.dataset.lift, 'en', { numeric: true }) < 0) ?? null;
}

function drawLift(id) {
  const now = performance.now();
  const lift = lifts.get(id);
  if (!lift) return;
  let card = liftCards.get(id);
  if (!card) {
    card = new LiftCard(lift);
    liftCards.set(id, card);
    byId('lifts').insertBefore(card.node, laterThan(id)); // whoever is told first
    show(byId('no-lifts'), false);
  }
  card.update(lift, ridersOf(id, now), now);
  card.drawQueue(rides);
  card.tick(now);
}

// drawRiders is not a report of the lift: it must not make its values young.
function drawRiders(id) {
  const card = liftCards.get(id);
  card?.shaft.drawRobots(ridersOf(id, performance.now()));
  card?.drawQueue(rides);
}

const began = (ride) => ride.transitions[0]?.at ?? '';

// drawRide puts running rides before ended ones, the newest first.
function drawRide(ride) {
  let card = rideCards.get(ride.ride_id);
  if (!card) {
    card = new RideCard(ride);
    rideCards.set(ride.ride_id, card);
  }
  card.update(ride, lifts.get(ride.lift)?.floors.map((floor) => floor.label));
  const order = [...rides.values()].sort((a, b) =>
    Number(a.state === 'DONE') - Number(b.state === 'DONE') || began(b).localeCompare(began(a)));
  const list = byId('ride-list');
  order.forEach((each, place) => {
    const node = rideCards.get(each.ride_id)?.node;
    if (!node) return;
    node.hidden = place >= SHOWN_RIDES;
    if (list.children[place] !== node) list.insertBefore(node, list.children[place] ?? null);
  });
  show(byId('no-rides'), rides.size === 0);
}

// When the gateway itself is silent, nothing is known of its lines.
function drawTrouble() {
  const now = performance.now();
  const lost = document.body.dataset.live === 'lost';
  const link = (lift) => (lost ? lift.link : liftCards.get(lift.id).shown(now));
  drawFaults([...rides.values()], [...lifts.values()].map((lift) => [lift, link(lift)]), now);
}

function forget() {
  for (const card of [...liftCards.values(), ...rideCards.values()]) card.node.remove();
  for (const map of [lifts, rides, liftCards, rideCards, endedAt]) map.clear();
  show(byId('no-rides'), true);
  show(byId('no-lifts'), true);
}

// heard wraps what takes an event: each is a word of the gateway.
const heard = (take) => (told) => {
  lastWord = performance.now();
  take(told);
};

const events = {
  state(live) {
    say(byId('live'), t(`live.${live}`));
    set(byId('live'), 'data-live', live);
    set(document.body, 'data-live', live);
    tickLost();
  },
  hello: heard((told) => {
    say(byId('version'), told.version);
    drawRobots(told.robots);
    if (!told.resumed) forget();
  }),
  lift: heard((lift) => {
    const first = !lifts.has(lift.id);
    lifts.set(lift.id, lift);
    drawLift(lift.id);
    if (first) [...rides.values()].filter((ride) => ride.lift === lift.id).forEach(drawRide); // its floors are known now
    drawChoices(lifts);
    drawDesk();
  }),
  ride: heard((ride) => {
    const before = rides.get(ride.ride_id);
    rides.set(ride.ride_id, ride);
    if (before && before.state !== ride.state) {
      say(byId('said'), t('ride.said', { robot: ride.robot, state: word('state', ride.state), phase: word('phase', ride.phase) }));
      if (ride.state === 'DONE') endedAt.set(ride.ride_id, performance.now());
    }
    drawRide(ride);
    if (before && before.lift !== ride.lift) drawRiders(before.lift);
    drawRiders(ride.lift);
  }),
  gone: heard((told) => {
    rides.delete(told.ride_id);
    rideCards.get(told.ride_id)?.node.remove();
    rideCards.delete(told.ride_id);
    show(byId('no-rides'), rides.size === 0);
  }),
  shadow: heard(drawShadow),
};

// tickLost says that all below is old once the gateway is not heard.
function tickLost() {
  const lost = document.body.dataset.live === 'lost';
  show(byId('lost'), lost);
  if (lost) say(byId('lost'), t('page.lost', { age: span(performance.now() - lastWord) }));
}

function drawDesk() {
  const stopped = [...lifts.values()].some((lift) => lift.stopped);
  show(byId('tech-has'), hasToken());
  show(byId('tech-form'), !hasToken());
  show(byId('tech-stop'), isTechnician() && !stopped);
  show(byId('tech-go-on'), isTechnician() && stopped);
  show(byId('audit'), isTechnician());
  say(byId('tech-who'), t(`tech.is_${caller.role}`, caller));
}

function readyDesk() {
  byId('tech-form').addEventListener('submit', (event) => {
    event.preventDefault();
    keepToken(byId('tech-token').value.trim());
    location.reload();
  });
  byId('tech-forget').addEventListener('click', () => {
    keepToken(null);
    location.reload();
  });
  byId('tech-stop').addEventListener('click', stopAll);
  byId('tech-go-on').addEventListener('click', goOn);
  byId('audit').addEventListener('toggle', drawAudit);
  for (const node of document.querySelectorAll('[data-lang]')) {
    set(node, 'aria-pressed', String(node.dataset.lang === lang));
    node.addEventListener('click', () => speak(node.dataset.lang));
  }
}

function frame(now) {
  for (const card of liftCards.values()) card.shaft.frame(now);
  requestAnimationFrame(frame);
}

function tick() {
  const now = performance.now();
  for (const [id, card] of liftCards) {
    card.tick(now);
    drawRiders(id);
  }
  drawTrouble();
  tickLost();
}

// patiently does what needs an answer of the gateway, and says so while there is none.
async function patiently(load) {
  for (;;) {
    try {
      await load();
      return;
    } catch {
      show(byId('loading'), false);
      show(byId('no-answer'), true);
      await new Promise((again) => { setTimeout(again, AGAIN); });
    }
  }
}

async function start() {
  await patiently(loadTexts);
  await patiently(learnCaller);
  for (const id of ['loading', 'no-answer']) byId(id).remove();
  show(document.querySelector('main'), true);
  readyForm(lifts);
  readyDesk();
  drawDesk();
  drawActs();
  events.state('connecting');
  follow(events);
  requestAnimationFrame(frame);
  setInterval(tick, 500);
}

takeToken(); // first of all: it must not stay in the address
void start();
