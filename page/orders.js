// Commands to a device: what can be ordered, the form, and what became of the orders.

import { get, post, segment } from './api.js'
import { button, element, field, option } from './dom.js'
import { time } from './format.js'

/** Every command that devices know, with an argument to begin from; none where it takes none. */
export const commands = {
  changePace: 'true',
  setConfig: '{"geolocation": {"distanceFilter": 50}}',
  start: null,
  stop: null,
  startGeofences: null,
  addGeofence: '{"identifier": "home", "latitude": 0, "longitude": 0, "radius": 200, "notifyOnEntry": true}',
  addGeofences: '[{"identifier": "home", "latitude": 0, "longitude": 0, "radius": 200, "notifyOnEntry": true}]',
  removeGeofence: '"home"',
  removeGeofences: '["home"]',
  uploadLog: '"http://127.0.0.1:8080/logs/device"',
  destroyLog: null,
  startSchedule: null,
  stopSchedule: null,
  setOdometer: '0',
  resetOdometer: null,
  ban: '"why"',
}

const shown = 30

/** The newest commands of a device; the server lists the oldest first. */
export async function ledger(device) {
  let orders = [], cursor
  do {
    const answer = await get(`devices/${segment(device.name)}/commands`, { run: device.run, limit: 1000, cursor })
    orders = [...orders, ...answer.commands].slice(-shown)
    cursor = answer.next ?? undefined
  } while (cursor !== undefined)
  return orders
}

export function ledgerElement(orders) {
  if (orders.length === 0) return element('p', { class: 'quiet' }, 'No commands yet.')
  return element('ol', { class: 'ledger' }, ...orders.toReversed().map(order => {
    const at = order.confirmedAt ?? order.deliveredAt ?? order.sentAt ?? order.createdAt
    return element('li', {},
      element('span', { class: 'tag', 'data-order': order.state }, order.state),
      element('code', {}, text(order.command)),
      element('span', { class: 'quiet' }, `${time(at)}${order.attempts > 1 ? ` · sent ${order.attempts} times` : ''}`))
  }))
}

const text = ([name, ...rest]) => rest.length === 0 ? name : `${name} ${JSON.stringify(rest[0])}`

/** The form for orders; `queued` is called when the server has taken one. */
export function orderForm(device, queued) {
  const name = element('select', { name: 'command' }, ...Object.keys(commands).map(name => option(name)))
  const argument = element('textarea', { name: 'argument', rows: 3, spellcheck: 'false' })
  const target = element('select', { name: 'target' }, option('device', 'this device'), option('tag', 'devices with a tag'), option('all', 'all devices of its run'))
  const tag = element('input', { name: 'tag', placeholder: 'tag', 'aria-label': 'Tag', hidden: true })
  const said = element('p', { class: 'said', role: 'status' })
  const argumentField = field('Argument, as JSON', argument)
  const suggest = () => {
    const wanted = commands[name.value]
    argumentField.hidden = wanted === null
    argument.value = wanted === null ? '' : here(wanted, device)
  }
  name.addEventListener('change', suggest)
  target.addEventListener('change', () => { tag.hidden = target.value !== 'tag' })
  suggest()

  async function send(event) {
    event.preventDefault()
    said.className = 'said'
    try {
      const command = argument.value.trim() === '' ? [name.value] : [name.value, parsed(argument.value)]
      const body = { commands: [command] }
      if (target.value === 'tag') body.tag = tag.value
      const path = target.value === 'device' ? `devices/${segment(device.name)}/commands` : 'commands'
      const answer = await post(path, body, { run: device.run })
      said.textContent = ['Queued: sent with the next answer.', ...answer.warnings].join(' ')
      queued()
    } catch (error) {
      said.className = 'said problem'
      said.textContent = error.message
    }
  }

  return element('form', { class: 'order-form', onsubmit: send },
    element('div', { class: 'row' }, field('Command', name), field('To', target), tag), argumentField,
    element('div', { class: 'row end' }, button('Queue', null, { type: 'submit', class: 'primary' })), said)
}

/** A suggestion where the device is. */
function here(suggestion, device) {
  if (device.latitude === undefined) return suggestion
  return suggestion.replace('"latitude": 0, "longitude": 0', `"latitude": ${device.latitude.toFixed(5)}, "longitude": ${device.longitude.toFixed(5)}`)
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The argument is not JSON: ${error.message}`)
  }
}

/** The fences that the orders leave on the device, as `{ name, latitude, longitude, radius }`. */
export function fencesOf(orders) {
  const fences = new Map()
  for (const { command: [name, argument], state } of orders) {
    if (state === 'expired') continue
    if (name === 'addGeofence') fences.set(argument.identifier, argument)
    if (name === 'addGeofences') for (const fence of argument) fences.set(fence.identifier, fence)
    if (name === 'removeGeofence') fences.delete(argument)
    if (name === 'removeGeofences') for (const identifier of argument ?? [...fences.keys()]) fences.delete(identifier)
  }
  return [...fences.values()]
    .filter(({ latitude, longitude, radius }) => [latitude, longitude, radius].every(Number.isFinite))
    .map(({ identifier, latitude, longitude, radius }) => ({ name: identifier, latitude, longitude, radius }))
}
