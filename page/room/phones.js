// All phones of the run in columns: where each truly is, what the server knows of it, how it does. Ten thousand come every
// second, so that nothing is made for one of them.

import * as mercator from '../mercator.js'

/** By the number that stands for it: the name, what it says, and the picture that the map has for it. */
export const conditions = [
  { name: 'off', says: 'its app does not run', state: 'silent' },
  { name: 'at rest', says: 'its app runs and it stands', state: 'stationary' },
  { name: 'moving', says: 'its app runs and it moves', state: 'moving' },
  { name: 'no network', says: 'it has no network', state: 'late' },
  { name: 'token expired', says: 'its access token is expired or revoked', state: 'refused' },
  { name: 'left', says: 'it has left its fleet', state: 'silent' },
]

export class Phones {
  count = 0
  #numbers = []
  names = []
  fleets = []
  condition = new Uint8Array(0)
  queue = new Uint32Array(0)
  /** On the unit square; not a number where nothing is known. */
  x = new Float64Array(0)
  y = new Float64Array(0)
  knownX = new Float64Array(0)
  knownY = new Float64Array(0)
  /** Degrees; negative where it stands. */
  heading = new Float32Array(0)
  /** Seconds of the run. */
  at = 0
  /** Another number after each change. */
  revision = 0
  counts = conditions.map(() => 0)

  /** An answer of `GET /run/v1/phones` or of `GET /run/v1/at`; false when names are missing. */
  take({ atSeconds, numbers, names, fleets, condition, queue, place, heading, known }) {
    if (names) {
      [this.names, this.fleets] = [names, fleets]
    } else if (numbers.length !== this.#numbers.length || numbers.some((number, index) => number !== this.#numbers[index])) {
      return false
    }
    this.#numbers = numbers
    this.revision += 1
    this.at = atSeconds
    this.count = condition.length
    this.condition = Uint8Array.from(condition)
    this.queue = Uint32Array.from(queue)
    ;[this.x, this.y] = project(place)
    this.heading = Float32Array.from(heading, degrees => degrees ?? -1)
    ;[this.knownX, this.knownY] = project(known)
    this.counts = conditions.map(() => 0)
    for (const code of this.condition) this.counts[code] += 1
    return true
  }

  hasKnown(index) { return !Number.isNaN(this.knownX[index]) }
  hasPlace(index) { return !Number.isNaN(this.x[index]) }

  /** How far the server's place is from the true one, in metres; null where it knows none. */
  distance(index) {
    if (!this.hasKnown(index) || !this.hasPlace(index)) return null
    const perMetre = mercator.perMetre(mercator.latitude(this.y[index]))
    return Math.hypot(this.x[index] - this.knownX[index], this.y[index] - this.knownY[index]) / perMetre
  }
}

/** Latitude and longitude after each other, in hundred-thousandths of a degree; null for none. */
function project(pairs) {
  const count = pairs.length / 2
  const [xs, ys] = [new Float64Array(count), new Float64Array(count)]
  for (let index = 0; index < count; index += 1) {
    const latitude = pairs[2 * index]
    xs[index] = latitude === null ? NaN : mercator.x(pairs[2 * index + 1] / 1e5)
    ys[index] = latitude === null ? NaN : mercator.y(latitude / 1e5)
  }
  return [xs, ys]
}
