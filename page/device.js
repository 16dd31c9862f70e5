// One device: what it is doing, what it sent and got, where it was, its orders and its logs.

import { get, getBlob, post, Refusal, segment, Silence } from './api.js'
import { arrange, button, byID, element, replaceText } from './dom.js'
import { bytes, count, duration, position, speed, time } from './format.js'
import * as mercator from './mercator.js'
import { fencesOf, ledger, ledgerElement, orderForm } from './orders.js'
import { requestElement, RequestSearch } from './requests.js'
import { behind } from './states.js'

const refreshEvery = 2_000
const historyMinutes = 15

export class DevicePanel {
  #panel = byID('panel-device')
  #fleet
  #map
  #device = null
  #parts = null
  #loadedFor = 0
  #isLoading = false

  constructor(fleet, map) {
    this.#fleet = fleet
    this.#map = map
    setInterval(() => this.#load(), refreshEvery)
    this.show(null)
  }

  /** `instead` is said where no device is shown. */
  show(device, instead = 'Choose a device on the map or in the list.') {
    this.#device = device
    this.#loadedFor = 0
    this.#map.fences = []
    this.#map.history = []
    if (!device) {
      this.#parts = null
      this.#panel.replaceChildren(element('p', { class: 'empty' }, instead))
      return
    }
    this.#build(device)
    this.update()
    this.#load()
  }

  /** Asks for everything anew. */
  reload() {
    this.#loadedFor = 0
    this.#load()
  }

  #build(device) {
    const section = (title, isOpen) => {
      const body = element('div', { class: 'section-body' })
      const node = element('details', { class: 'section', open: isOpen }, element('summary', {}, title), body)
      node.addEventListener('toggle', () => this.reload())
      return { node, body }
    }
    const facts = element('dl', { class: 'facts' })
    const state = element('span', { class: 'state' })
    const said = element('p', { class: 'said', role: 'status' })
    const follow = button('Follow', () => {
      this.#map.isFollowing = !this.#map.isFollowing
      if (this.#map.isFollowing) this.#map.centreOn(device)
      follow.setAttribute('aria-pressed', this.#map.isFollowing)
    }, { 'aria-pressed': this.#map.isFollowing })
    const parts = { facts, state, said, follow, requests: section('Requests', true), orders: section('Commands', true), points: section('Points', false), logs: section('Logs', false) }
    parts.ledger = element('div', {})
    parts.orders.body.append(orderForm(device, () => this.reload()), parts.ledger)
    const actions = element('div', { class: 'row actions' },
      button('Show on map', () => this.#map.centreOn(device)), follow,
      button('Expire tokens', () => this.#endTokens('expire'), { title: 'Access tokens are refused as expired; the device can refresh them' }),
      button('Revoke', () => this.#endTokens('revoke'), { class: 'danger', title: 'Neither access nor refresh tokens are taken any more' }))
    this.#panel.replaceChildren(
      element('header', { class: 'device-head' }, element('h2', {}, device.name), state),
      facts, actions, said, ...['requests', 'orders', 'points', 'logs'].map(name => parts[name].node))
    this.#parts = parts
  }

  async #endTokens(how) {
    const { said } = this.#parts
    try {
      const { families } = await post(`tokens/${how}`, { device: this.#device.name }, { run: this.#device.run })
      said.className = 'said'
      said.textContent = families === 0 ? 'It has no tokens.' : how === 'expire' ? 'Its access tokens have expired.' : 'Its tokens are revoked.'
    } catch (error) {
      said.className = 'said problem'
      said.textContent = error.message
    }
  }

  /** What the live stream tells. */
  update() {
    const [device, parts] = [this.#device, this.#parts]
    if (!parts) return
    parts.follow.setAttribute('aria-pressed', this.#map.isFollowing)
    replaceText(parts.state, device.state)
    parts.state.dataset.state = device.state
    const late = behind(device)
    this.#fact('last seen', `${time(device.seenAt)} (${duration(this.#fleet.now - device.seenAt)} ago)`)
    if (device.recordedAt) this.#fact('recorded', late > 1_000 ? `${time(device.recordedAt)}, ${duration(late)} before it came` : time(device.recordedAt))
    if (device.latitude !== undefined) this.#fact('position', position(device.latitude, device.longitude))
    if (device.speed !== undefined && device.speed !== null) this.#fact('speed', speed(device.speed))
    if (device.status) this.#fact('last answer', device.fault ? `${device.status}, fault ${device.fault}` : String(device.status))
    if (device.run) this.#fact('run', device.run)
  }

  #fact(name, text) {
    let value = [...this.#parts.facts.children].find(child => child.dataset.fact === name)
    if (!value) {
      value = element('div', { 'data-fact': name }, element('dt', {}, name), element('dd', {}))
      this.#parts.facts.append(value)
    }
    replaceText(value.lastChild, text)
  }

  /** What the server has to be asked for, no oftener than the device shows signs of life. */
  async #load() {
    const [device, parts] = [this.#device, this.#parts]
    if (!parts || this.#isLoading || document.hidden || this.#loadedFor === device.seenAt) return
    this.#isLoading = true
    this.#loadedFor = device.seenAt
    try {
      await Promise.all([this.#loadCounts(device), this.#loadRequests(device, parts), this.#loadOrders(device, parts), this.#loadPoints(device, parts), this.#loadLogs(device, parts)])
    } finally {
      this.#isLoading = false
    }
    if (device !== this.#device) this.#load()
  }

  async #loadCounts(device) {
    const stored = await get(`devices/${segment(device.name)}`, { run: device.run }).catch(error => error)
    if (device !== this.#device) return
    if (stored instanceof Refusal && stored.status === 404) return this.#fact('records', 'none stored')
    if (stored instanceof Error) return
    const notes = [[stored.duplicates, 'came again'], [stored.quarantined, 'put aside']].filter(([number]) => number > 0)
    this.#fact('records', [count(stored.records), ...notes.map(([number, what]) => `${count(number)} ${what}`)].join(' · '))
    if (stored.tags.length > 0) this.#fact('tags', stored.tags.join(', '))
  }

  async #loadRequests(device, { requests }) {
    if (!requests.node.open) return
    const search = await new RequestSearch(device).goOn().catch(problemIn(requests.body))
    if (search && device === this.#device) this.#showRequests(search, device, requests)
  }

  #showRequests(search, device, { body }) {
    const known = new Map([...body.children].map(node => [node.dataset.sequence, node]))
    const nodes = search.found.map(request => known.get(String(request.sequence)) ?? requestElement(request))
    if (search.isUnfinished) {
      const goOn = button('Search further', async () => {
        goOn.disabled = true
        if (await search.goOn().catch(problemIn(body)) && device === this.#device) this.#showRequests(search, device, { body })
      })
      const which = nodes.length > 0 ? 'These are' : 'None is'
      nodes.push(element('div', { class: 'row more' }, element('p', { class: 'quiet' }, `${which} among the last ${count(search.looked)} requests.`), goOn))
    } else if (nodes.length === 0) {
      nodes.push(element('p', { class: 'quiet' }, 'The journal has no request of it.'))
    }
    arrange(body, nodes)
  }

  async #loadOrders(device, parts) {
    const orders = await ledger(device).catch(problemIn(parts.ledger))
    if (!orders || device !== this.#device) return
    parts.ledger.replaceChildren(ledgerElement(orders))
    this.#map.fences = fencesOf(orders).map(fence => ({ ...fence, x: mercator.x(fence.longitude), y: mercator.y(fence.latitude) }))
    this.#map.refresh()
  }

  async #loadPoints(device, { points }) {
    if (!device.recordedAt) return
    const query = { run: device.run, from: device.recordedAt - historyMinutes * 60_000, to: device.recordedAt + 1, format: 'geojson' }
    const answer = await get(`devices/${segment(device.name)}/locations`, query).catch(problemIn(points.body))
    if (!answer || device !== this.#device) return
    const places = answer.features.filter(({ geometry }) => geometry).map(placeOf)
    this.#map.history = places.map(({ latitude, longitude }) => [mercator.x(longitude), mercator.y(latitude)])
    this.#map.refresh()
    if (!points.node.open) return
    const row = place => element('tr', {}, ...[time(place.at), position(place.latitude, place.longitude), speed(place.speed), place.event].map(text => element('td', {}, text)))
    points.body.replaceChildren(element('table', {},
      element('thead', {}, element('tr', {}, ...['recorded', 'position', 'speed', 'event'].map(text => element('th', { scope: 'col' }, text)))),
      element('tbody', {}, ...places.slice(-50).reverse().map(row))))
  }

  async #loadLogs(device, { logs }) {
    if (!logs.node.open) return
    const answer = await get(`devices/${segment(device.name)}/logs`, { run: device.run }).catch(problemIn(logs.body))
    if (!answer || device !== this.#device) return
    if (answer.logs.length === 0) return logs.body.replaceChildren(element('p', { class: 'quiet' }, 'It has sent no log. The command uploadLog asks for one.'))
    const known = new Map([...logs.body.querySelectorAll('li')].map(node => [node.dataset.log, node]))
    const list = logs.body.querySelector('ul') ?? element('ul', { class: 'plain' })
    arrange(list, answer.logs.map(log => known.get(String(log.id)) ?? this.#logElement(device, log)))
    arrange(logs.body, [list])
  }

  #logElement(device, log) {
    return element('li', { class: 'row', 'data-log': log.id },
      element('span', {}, `${log.fileName}, ${bytes(log.bytes)}`), element('span', { class: 'quiet' }, time(log.receivedAt)),
      button('Download', () => this.#download(device, log), { 'aria-label': `Download ${log.fileName}` }))
  }

  async #download(device, log) {
    const file = URL.createObjectURL(await getBlob(`devices/${segment(device.name)}/logs/${log.id}`, { run: device.run }))
    element('a', { href: file, download: log.fileName }).click()
    setTimeout(() => URL.revokeObjectURL(file), 10_000)
  }
}

/** What was there stays while the server is silent: the page says so at its top. */
const problemIn = body => error => {
  if (error instanceof Silence) return null
  body.replaceChildren(element('p', { class: 'problem' }, error.message))
  return null
}

const placeOf = ({ geometry: { coordinates: [longitude, latitude] }, properties: { recordedAt, speed, event } }) =>
  ({ at: recordedAt, latitude, longitude, speed, event: event ?? '' })
