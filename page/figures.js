// Rates and quantiles out of the counts that the server tells every second, each over the seconds before: a handful of phones
// send once in a while, and a rate that jumps between nothing and five says little.

const secondsTogether = 5

/** The value below which `share` of the answers between two counts lie; null when there were none. */
export function quantile(share, bounds, before, after) {
  const total = after.answered - before.answered
  if (total <= 0) return null
  const rank = share * total
  let passed = 0
  for (let index = 0; index < bounds.length; index += 1) {
    const count = after.latencies[index] - before.latencies[index]
    if (count >= rank) {
      const lower = index === 0 ? 0 : bounds[index - 1]
      const inside = (rank - passed) / Math.max(1, count - passed)
      return lower + (bounds[index] - lower) * Math.min(1, Math.max(0, inside))
    }
    passed = count
  }
  return bounds.at(-1)
}

/** The samples of `GET history` as counts since the start, as the stream tells them. */
export function countsOf({ bounds, samples }) {
  const latencies = bounds.map(() => 0)
  return samples.map(({ answers, ...counts }) => {
    const added = bounds.map(() => 0)
    for (const [bound, number] of answers) added[bound] += number
    let within = 0
    added.forEach((number, index) => {
      within += number
      latencies[index] += within
    })
    return { ...counts, latencies: [...latencies] }
  })
}

export class Figures {
  /** Counts of the last seconds, the oldest first. */
  #counts = []
  bounds = []

  restart(bounds) {
    this.bounds = bounds
    this.#counts = []
  }

  /** The samples of the past. What comes next goes on behind them. */
  static past(history) {
    const figures = new Figures()
    figures.restart(history.bounds)
    return countsOf(history).map(counts => figures.take(counts)).filter(sample => sample !== null)
  }

  /** One sample for the charts; null for the first counts, which say nothing about a rate. */
  take(counts) {
    const last = this.#counts.at(-1)
    // A server that began anew counts from nothing.
    if (last && (counts.at <= last.at || counts.answered < last.answered)) this.#counts = []
    this.#counts.push(counts)
    if (this.#counts.length > secondsTogether + 1) this.#counts.shift()
    if (this.#counts.length < 2) return null
    const before = this.#counts[0]
    const seconds = (counts.at - before.at) / 1_000
    const perSecond = (now, then) => Math.max(0, now - then) / seconds
    const status = name => perSecond(counts.requests[name] ?? 0, before.requests[name] ?? 0)
    return {
      at: counts.at,
      good: status('2xx'), client: status('4xx'), server: status('5xx'),
      requests: perSecond(counts.answered, before.answered),
      accepted: perSecond(counts.accepted, before.accepted),
      duplicate: perSecond(counts.duplicate, before.duplicate),
      quarantined: perSecond(counts.quarantined, before.quarantined),
      faults: perSecond(counts.faults, before.faults),
      p50: quantile(0.5, this.bounds, before, counts),
      p95: quantile(0.95, this.bounds, before, counts),
      waiting: counts.waitingJobs,
      connections: counts.connections,
    }
  }
}
