// Numbers and times as people read them.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })

export const count = number => whole.format(number)

export function rate(number) {
  if (number >= 100 || Number.isInteger(number)) return count(number)
  return number.toFixed(number < 0.1 ? 2 : 1).replace(/\.?0+$/, '')
}

export function microseconds(value) {
  if (value === null || !Number.isFinite(value)) return '–'
  // The server counts whole microseconds: one that is answered at once has none.
  if (value < 1) return '< 1 µs'
  if (value < 1_000) return `${Math.round(value)} µs`
  if (value < 10_000) return `${(value / 1_000).toFixed(1)} ms`
  return value < 1_000_000 ? `${Math.round(value / 1_000)} ms` : `${(value / 1_000_000).toFixed(1)} s`
}

export function bytes(value) {
  if (value === null || value === undefined) return '–'
  if (value < 1_000) return `${value} B`
  return value < 1_000_000 ? `${(value / 1_000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`
}

/** How long ago, or how long anything takes; milliseconds in. */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor(seconds % 3_600 / 60)} min`
  return `${Math.floor(seconds / 86_400)} d`
}

/** The time of the day, with the day when it is not today. */
export function time(instant) {
  if (!instant) return '–'
  const date = new Date(instant)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`
}

export function speed(metresPerSecond) {
  if (metresPerSecond === undefined || metresPerSecond === null || metresPerSecond < 0) return '–'
  return `${Math.round(metresPerSecond * 3.6)} km/h`
}

export const position = (latitude, longitude) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`

export function distance(metres) {
  return metres < 1_000 ? `${Math.round(metres)} m` : `${(metres / 1_000).toFixed(metres < 100_000 ? 1 : 0)} km`
}

/** JSON with room to breathe; what is not JSON stays as it came. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
