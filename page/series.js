// Samples over time, and the numbers of the axes beside them.

/** What the charts keep of the past, and the least that they show of it. */
export const kept = 600_000
export const shortest = 120_000
/** Samples come every second: without one for longer nothing is known, and no line is drawn over it. */
const gap = 3_000

export class Series {
  /** `{ at, … }`, the oldest first. */
  samples = []
  /** What is shown of them. */
  span = shortest

  append(sample) {
    // A clock that was put back begins anew where it is now.
    this.samples = this.samples.filter(({ at }) => at < sample.at && at > sample.at - kept)
    this.samples.push(sample)
  }

  get last() { return this.samples.at(-1) }

  /** Those of the past, the oldest first, in place of all. */
  fill(samples) { this.samples = samples.filter(({ at }) => at > samples.at(-1).at - kept) }

  /** Where an instant lies: 0 at the left edge, 1 at the right one, which is `now`. */
  shareOf(at, now) { return 1 - (now - at) / this.span }

  #shown(now) { return this.samples.filter(({ at }) => at > now - this.span - gap) }

  /** The sample nearest to a place on the axis; undefined where there is none. */
  nearest(share, now) {
    const at = now - (1 - share) * this.span
    const near = this.samples.filter(sample => Math.abs(sample.at - at) < gap / 2)
    return near.sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at))[0]
  }

  /** Stretches of `[at, value]` in which the value is known. */
  parts(key, now) {
    const parts = []
    let part = null
    for (const { at, [key]: value } of this.#shown(now)) {
      if (value === null || value === undefined) part = null
      else if (part && at - part.at(-1)[0] <= gap) part.push([at, value])
      else parts.push(part = [[at, value]])
    }
    return parts
  }

  highest(keys, now) { return this.#shown(now).reduce((most, sample) => Math.max(most, ...keys.map(key => sample[key] ?? 0)), 0) }
}

/** The end of an axis that holds the value; it and its half are short numbers. */
export function niceTop(value) {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 8, 10].map(step => step * power).find(step => step >= value)
}
