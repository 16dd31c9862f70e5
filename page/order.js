// The order of the devices in the list, and the groups in which they stand. Devices that are equal in an order stay in that of
// their names, in which they come.

import { behind } from './states.js'

const collator = new Intl.Collator('en', { numeric: true })
export const byName = (one, other) => collator.compare(one.name, other.name) || collator.compare(one.run, other.run)

const ranks = { refused: 4, failing: 4, late: 3, silent: 2, unknown: 2, moving: 1, stationary: 1 }

/** Failing ones first, by how often in a row; then those with the oldest queue; then those that are silent, the longest first. */
function worst(one, other) {
  const rank = ranks[other.state] - ranks[one.state]
  if (rank !== 0) return rank
  if (ranks[one.state] === 4) return other.failures - one.failures
  if (one.state === 'late') return behind(other) - behind(one)
  return one.seenAt - other.seenAt
}

export const orders = {
  name: { says: 'by name', compare: null },
  worst: { says: 'worst first', compare: worst },
  age: { says: 'longest silent first', compare: (one, other) => one.seenAt - other.seenAt },
  backlog: { says: 'oldest queue first', compare: (one, other) => behind(other) - behind(one) },
  failures: { says: 'most failures first', compare: (one, other) => other.failed - one.failed },
}

/** The part of a name before its last number: `van` of `van-17`. */
export const prefix = name => name.replace(/[^\p{L}]*\d+\D?$/u, '') || name

export const groupings = {
  none: { says: 'no groups' },
  prefix: { says: 'groups by name', of: device => [prefix(device.name)] },
  tag: { says: 'groups by tag', of: device => device.tags.length > 0 ? device.tags : ['no tag'] },
  run: { says: 'groups by run', of: device => [device.run || 'no run'] },
}

const isBad = ({ state }) => ranks[state] >= 3

/** `{ name, devices, bad, failed }`, the worst first where the order is one of trouble, else by name. */
export function groupsOf(devices, grouping, order) {
  const groups = new Map()
  for (const device of devices) {
    for (const name of groupings[grouping].of(device)) {
      let group = groups.get(name)
      if (!group) groups.set(name, group = { name, devices: [], bad: 0, failed: 0 })
      group.devices.push(device)
      group.failed += device.failed
      if (isBad(device)) group.bad += 1
    }
  }
  const compareNames = (one, other) => collator.compare(one.name, other.name)
  const share = ({ bad, devices }) => bad / devices.length
  return [...groups.values()].sort((one, other) =>
    order === 'name' ? compareNames(one, other) : share(other) - share(one) || other.failed - one.failed || compareNames(one, other))
}
