// What a device is doing, as far as a server can tell: from its last record, its last answer and the time since.

/** In the order of the legend; each has a colour `--state-NAME` in the style sheet and a shape on the map. */
export const states = [
  { name: 'moving', says: 'its last record says that it moves' },
  { name: 'stationary', says: 'its last record says that it rests' },
  { name: 'unknown', says: 'no record of it with a position has come' },
  { name: 'late', says: 'its newest record was more than a minute old when it came: it is catching up' },
  { name: 'failing', says: 'its last request was not answered with 2xx' },
  { name: 'refused', says: 'its last request was refused: 401, 403 or 410' },
  { name: 'silent', says: 'nothing for two minutes while it moved, or for an hour at rest' },
]

const lateAfter = 60_000
/** Records of another age have another clock, that of a simulation: they are not late. */
const otherClock = 30 * 86_400_000
const silentAfterMoving = 120_000
const silentAfterResting = 3_600_000

export function stateOf(device, now) {
  const since = now - device.seenAt
  if (since > (device.isMoving ? silentAfterMoving : silentAfterResting)) return 'silent'
  if ([401, 403, 410].includes(device.status)) return 'refused'
  if (device.status >= 300 || device.fault) return 'failing'
  if (behind(device) > lateAfter) return 'late'
  if (device.x === null) return 'unknown'
  return device.isMoving ? 'moving' : 'stationary'
}

/** How old its newest record was when it came, whatever came since; 0 where that means nothing. */
export function behind(device) {
  const age = device.recordedAt ? device.arrivedAt - device.recordedAt : 0
  return age > 0 && age < otherClock ? age : 0
}
