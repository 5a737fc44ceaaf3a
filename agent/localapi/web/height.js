// From millimetres in the shaft to a place among floors that are drawn evenly.

const GUESS_MM = 3200; // between floors of which nothing is known yet

// rungs pairs each landing whose height is known with its index.
function rungs(floors) {
  const known = [];
  floors.forEach((floor, index) => {
    if (floor.height_mm !== null && floor.height_mm !== undefined) known.push({ index, mm: floor.height_mm });
  });
  if (known.length === 0 || known[0].index !== 0) known.unshift({ index: 0, mm: 0 });
  return known;
}

// storeyOf gives a fractional index: 1.5 is half-way between the second and the
// third landing.
export function storeyOf(mm, floors) {
  const known = rungs(floors);
  const first = known[0];
  const last = known[known.length - 1];
  const mean = last.index > 0 ? (last.mm - first.mm) / (last.index - first.index) : GUESS_MM;
  let at = last.index + (mm - last.mm) / (mean || GUESS_MM);
  for (let i = 1; i < known.length; i++) {
    const [low, high] = [known[i - 1], known[i]];
    if (mm <= high.mm) {
      at = low.index + ((mm - low.mm) / (high.mm - low.mm || 1)) * (high.index - low.index);
      break;
    }
  }
  return Math.min(Math.max(at, -0.25), floors.length - 0.75);
}

// storeyOfLift places a car by what is known of it; null when nothing is.
export function storeyOfLift(lift) {
  const index = lift.floors.findIndex((floor) => floor.label === lift.floor.value);
  const stands = lift.motion.value === 'stopped' && index >= 0 && lift.floors[index].height_mm === null;
  if (lift.position_mm.value !== null && !stands) return storeyOf(lift.position_mm.value, lift.floors);
  return index >= 0 ? index : null;
}
