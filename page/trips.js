// Stops and trips out of the places of a device. A stop is a time of at least three minutes in which no place is farther than a
// hundred metres from the first one; silence at a place counts, because devices at rest send nothing. What lies between two stops
// is a trip, if it is longer than that. Documented in docs/administration.md.

export const stopMilliseconds = 180_000
export const stopMetres = 100

const earthRadius = 6_371_008.8
const radians = degrees => degrees * Math.PI / 180

/** Metres between two places, along the surface. */
export function metresBetween(one, other) {
  const [south, north] = [radians(one.latitude), radians(other.latitude)]
  const across = Math.sin((north - south) / 2) ** 2
    + Math.cos(south) * Math.cos(north) * Math.sin(radians(other.longitude - one.longitude) / 2) ** 2
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(across)))
}

export function length(places) {
  let metres = 0
  for (let index = 1; index < places.length; index += 1) metres += metresBetween(places[index - 1], places[index])
  return metres
}

/** `places`: `{ at, latitude, longitude }` in the order of time. Gives `{ kind, first, last, from, to, metres }`, in this order. */
export function stopsAndTrips(places) {
  const parts = []
  let tripFrom = 0
  const endTrip = last => {
    if (last <= tripFrom) return
    const metres = length(places.slice(tripFrom, last + 1))
    if (metres > stopMetres) parts.push({ kind: 'trip', first: tripFrom, last, from: places[tripFrom].at, to: places[last].at, metres })
  }
  const isNear = (first, index) => metresBetween(places[first], places[index]) <= stopMetres
  let first = 0
  /** The first place that is late enough for a stop at `first`. */
  let end = 0
  /** A place that was too far from an earlier one, and is probably so from the next. */
  let far = 0
  while (first < places.length) {
    while (end < places.length && places[end].at - places[first].at < stopMilliseconds) end += 1
    if (end >= places.length) break
    if (far <= first || isNear(first, far)) {
      // Backwards, so that a device that has left is found at once.
      far = end
      while (far > first && isNear(first, far)) far -= 1
    }
    if (far > first) {
      first += 1
      continue
    }
    let last = end
    while (last + 1 < places.length && isNear(first, last + 1)) last += 1
    endTrip(first)
    parts.push({ kind: 'stop', first, last, from: places[first].at, to: places[last].at, metres: 0 })
    tripFrom = last
    first = last + 1
  }
  if (places.length > 0) endTrip(places.length - 1)
  return parts
}
