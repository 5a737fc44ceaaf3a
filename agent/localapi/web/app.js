// The page: what the stream tells is kept here and handed to the cards.

import { byId, say, set, show } from './dom.js';
import { drawChoices, drawRobots, readyForm } from './form.js';
import { LiftCard } from './lift.js';
import { RideCard } from './ride.js';
import { drawShadow } from './shadow.js';
import { follow } from './stream.js';
import { ask, hasToken, takeToken } from './token.js';

const lifts = new Map(); // id → as told
const rides = new Map();
const liftCards = new Map();
const rideCards = new Map();
const endedAt = new Map(); // ride → when this page saw it end

const LINGER = 6000; // ms that a robot is drawn after its ride
const SHOWN_RIDES = 30;

function ridersOf(id, now) {
  return [...rides.values()].filter((ride) => {
    if (ride.lift !== id) return false;
    if (ride.state !== 'DONE') return true;
    return now - (endedAt.get(ride.ride_id) ?? -Infinity) < LINGER;
  });
}

function drawLift(id) {
  const now = performance.now();
  const lift = lifts.get(id);
  if (!lift) return;
  let card = liftCards.get(id);
  if (!card) {
    card = new LiftCard(lift);
    liftCards.set(id, card);
    byId('lifts').append(card.node);
    show(byId('no-lifts'), false);
  }
  card.update(lift, ridersOf(id, now), now);
  card.tick(now);
}

// redraw of robots alone must not count as a report of the lift.
function drawRiders(id) {
  const card = liftCards.get(id);
  card?.shaft.drawRobots(ridersOf(id, performance.now()));
}

const began = (ride) => ride.transitions[0]?.at ?? '';

// drawRide puts running rides before ended ones, the newest first.
function drawRide(ride) {
  let card = rideCards.get(ride.ride_id);
  if (!card) {
    card = new RideCard(ride, cancel);
    rideCards.set(ride.ride_id, card);
  }
  card.update(ride, hasToken());
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

async function cancel(card) {
  card.cancel.disabled = true;
  try {
    await ask('DELETE', `/v1/rides/${encodeURIComponent(card.ride.ride_id)}`);
    say(byId('said'), `Cancelled the ride of ${card.ride.robot}.`);
  } catch (fault) {
    say(byId('call-said'), fault.message);
    card.cancel.disabled = false;
  }
}

function forget() {
  for (const card of [...liftCards.values(), ...rideCards.values()]) card.node.remove();
  for (const map of [lifts, rides, liftCards, rideCards, endedAt]) map.clear();
  show(byId('no-rides'), true);
  show(byId('no-lifts'), true);
}

follow({
  state(live) {
    say(byId('live'), live === 'live' ? 'live' : 'reconnecting');
    set(byId('live'), 'data-live', live);
  },
  hello(told) {
    say(byId('version'), told.version);
    drawRobots(told.robots);
    if (!told.resumed) forget();
  },
  lift(lift) {
    lifts.set(lift.id, lift);
    drawLift(lift.id);
    drawChoices(lifts);
  },
  ride(ride) {
    const before = rides.get(ride.ride_id);
    rides.set(ride.ride_id, ride);
    if (before && before.state !== ride.state) {
      say(byId('said'), `${ride.robot}: ${ride.state.replace('_', ' ')}, ${ride.phase}`);
      if (ride.state === 'DONE') endedAt.set(ride.ride_id, performance.now());
    }
    drawRide(ride);
    if (before && before.lift !== ride.lift) drawRiders(before.lift);
    drawRiders(ride.lift);
  },
  gone(told) {
    rides.delete(told.ride_id);
    rideCards.get(told.ride_id)?.node.remove();
    rideCards.delete(told.ride_id);
    show(byId('no-rides'), rides.size === 0);
  },
  shadow: drawShadow,
});

takeToken();
readyForm(lifts);

function frame(now) {
  for (const card of liftCards.values()) card.shaft.frame(now);
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);

setInterval(() => {
  const now = performance.now();
  for (const [id, card] of liftCards) {
    card.tick(now);
    drawRiders(id);
  }
}, 500);
