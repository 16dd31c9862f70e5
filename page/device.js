// One device: what it is doing, what it sent and got, where it was, its orders and its logs.

import { download, get, post, put, Refusal, remove, segment, Silence } from './api.js'
import { arrange, button, byID, element, field, replaceText, sureButton } from './dom.js'
import { bytes, count, distance, duration, position, speed, time } from './format.js'
import * as mercator from './mercator.js'
import { fencesOf, ledger, ledgerElement, orderForm } from './orders.js'
import { Points } from './points.js'
import { requestElement, RequestSearch } from './requests.js'
import { behind } from './states.js'

const refreshEvery = 2_000

export class DevicePanel {
  #panel = byID('panel-device')
  #fleet
  #map
  #seeMap
  #device = null
  #parts = null
  #loadedFor = 0
  #isLoading = false

  /** `seeMap` brings the map to a narrow screen. */
  constructor(fleet, map, seeMap) {
    this.#fleet = fleet
    this.#map = map
    this.#seeMap = seeMap
    setInterval(() => this.#load(), refreshEvery)
    this.show(null)
  }

  /** `instead` is said where no device is shown. */
  show(device, instead = 'Choose a device on the map or in the list.') {
    this.#device = device
    this.#loadedFor = 0
    this.#parts?.way.end()
    this.#map.fences = []
    this.#map.history = []
    this.#map.pointed = null
    if (!device) {
      this.#parts = null
      this.#panel.replaceChildren(element('p', { class: 'empty' }, instead))
      return
    }
    this.#build(device)
    this.update()
    this.#load()
  }

  #see(device) {
    this.#seeMap()
    this.#map.centreOn(device)
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
      // A section that is open from the beginning tells of it, too.
      let wasOpen = isOpen
      node.addEventListener('toggle', () => {
        if (node.open === wasOpen) return
        wasOpen = node.open
        this.reload()
      })
      return { node, body }
    }
    const facts = element('dl', { class: 'facts' })
    const state = element('span', { class: 'state' })
    const said = element('p', { class: 'said', role: 'status' })
    const follow = button('Follow', () => {
      this.#map.isFollowing = !this.#map.isFollowing
      if (this.#map.isFollowing) this.#see(device)
      follow.setAttribute('aria-pressed', this.#map.isFollowing)
    }, { 'aria-pressed': this.#map.isFollowing })
    const parts = { facts, state, said, follow, requests: section('Requests', true), points: section('Track', false), orders: section('Commands', true), logs: section('Logs', false) }
    parts.way = new Points(device, this.#map, () => this.reload())
    parts.points.body.append(parts.way.body)
    parts.ledger = element('div', {})
    parts.orders.body.append(orderForm(device, () => this.reload()), parts.ledger)
    const actions = element('div', { class: 'row actions' },
      button('Show on map', () => this.#see(device)), follow,
      button('Expire tokens', () => this.#endTokens('expire'), { title: 'Access tokens are refused as expired; the device can refresh them' }),
      sureButton('Revoke', 'Revoke its tokens?', () => this.#endTokens('revoke'), { class: 'danger', title: 'Neither access nor refresh tokens are accepted' }),
      sureButton('Delete', 'Delete it with its records?', () => this.#delete(device), { class: 'danger', title: 'The device is deleted with its records, commands, tags and logs' }))
    this.#panel.replaceChildren(
      element('header', { class: 'device-head' }, element('h2', {}, device.name), state),
      facts, this.#tagForm(device, parts), actions, said, ...['requests', 'points', 'orders', 'logs'].map(name => parts[name].node))
    this.#parts = parts
  }

  #tagForm(device, parts) {
    const input = parts.tags = element('input', { name: 'tags', value: device.tags.join(', '), placeholder: 'none', autocomplete: 'off', spellcheck: 'false' })
    const save = async event => {
      event.preventDefault()
      const tags = [...new Set(input.value.split(',').map(tag => tag.trim()).filter(tag => tag !== ''))]
      await this.#try(async () => {
        await put(`devices/${segment(device.name)}/tags`, { tags }, { run: device.run })
        this.#fleet.wear(device, tags)
        input.value = tags.join(', ')
        return tags.length === 0 ? 'It has no tags.' : `Its tags are ${tags.join(', ')}.`
      })
    }
    return element('form', { class: 'row tag-form', onsubmit: save }, field('Tags, separated by commas', input), button('Set', null, { type: 'submit' }))
  }

  /** Says what came of it. */
  async #try(action) {
    const { said } = this.#parts
    try {
      replaceText(said, await action())
      said.className = 'said'
    } catch (error) {
      replaceText(said, error.message)
      said.className = 'said problem'
    }
  }

  /** The stream tells the page that the device is gone. */
  #delete(device) {
    return this.#try(async () => {
      await remove(`devices/${segment(device.name)}`, { run: device.run })
      this.#fleet.remove(device.run, device.name)
      return 'It is deleted.'
    })
  }

  /** A point of its way was clicked on. */
  showPoint(index) {
    if (!this.#parts) return
    this.#parts.points.node.open = true
    this.#parts.way.showPoint(index)
  }

  #endTokens(how) {
    return this.#try(async () => {
      const { families } = await post(`tokens/${how}`, { device: this.#device.name }, { run: this.#device.run })
      return families === 0 ? 'It has no tokens.' : how === 'expire' ? 'Its access tokens have expired.' : 'Its tokens are revoked.'
    })
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
    if (device.recordedAt) this.#fact('recorded', late > 1_000 ? `${time(device.recordedAt)}, ${duration(late)} late` : time(device.recordedAt))
    if (device.latitude !== undefined) this.#fact('position', position(device.latitude, device.longitude))
    if (device.speed !== undefined && device.speed !== null) this.#fact('speed', speed(device.speed))
    if (device.status) {
      const answer = device.fault ? `${device.status}, fault ${device.fault}` : String(device.status)
      this.#fact('last answer', device.failures > 1 ? `${answer}, ${count(device.failures)} failures in a row` : answer)
    }
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
    this.#panel.setAttribute('aria-busy', 'true')
    this.#loadedFor = device.seenAt
    try {
      await Promise.all([this.#loadCounts(device), this.#loadRequests(device, parts), this.#loadOrders(device, parts), this.#loadWay(device, parts), this.#loadRecord(device), this.#loadLogs(device, parts)])
    } finally {
      this.#isLoading = false
      this.#panel.setAttribute('aria-busy', 'false')
    }
    if (device !== this.#device) this.#load()
  }

  async #loadCounts(device) {
    const stored = await get(`devices/${segment(device.name)}`, { run: device.run }).catch(error => error)
    if (device !== this.#device) return
    if (stored instanceof Refusal && stored.status === 404) return this.#fact('records', 'none stored')
    if (stored instanceof Error) return
    const notes = [[stored.duplicates, 'came again'], [stored.quarantined, 'quarantined']].filter(([number]) => number > 0)
    this.#fact('records', [count(stored.records), ...notes.map(([number, what]) => `${count(number)} ${what}`)].join(' · '))
    this.#fleet.wear(device, stored.tags)
    const { tags } = this.#parts
    if (document.activeElement !== tags) tags.value = stored.tags.join(', ')
  }

  async #loadRequests(device, { requests }) {
    if (!requests.node.open) return
    const search = await new RequestSearch({ run: device.run, device: device.name }).goOn().catch(problemIn(requests.body))
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
      nodes.push(element('p', { class: 'quiet' }, 'No requests in the journal.'))
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

  async #loadWay(device, { points, way }) { await way.load(points.node.open, () => device === this.#device) }

  /** What a record tells beside its place. */
  async #loadRecord(device) {
    if (!device.recordedAt) return
    const query = { run: device.run, from: device.recordedAt, to: device.recordedAt + 1 }
    const answer = await get(`devices/${segment(device.name)}/locations`, query).catch(() => null)
    const record = answer?.locations.at(-1)?.record
    if (device !== this.#device || !record || typeof record !== 'object') return
    for (const [name, text] of factsOf(record)) this.#fact(name, text)
  }

  async #loadLogs(device, { logs }) {
    if (!logs.node.open) return
    const answer = await get(`devices/${segment(device.name)}/logs`, { run: device.run }).catch(problemIn(logs.body))
    if (!answer || device !== this.#device) return
    if (answer.logs.length === 0) return logs.body.replaceChildren(element('p', { class: 'quiet' }, 'No logs. Queue uploadLog to request one.'))
    const known = new Map([...logs.body.querySelectorAll('li')].map(node => [node.dataset.log, node]))
    const list = logs.body.querySelector('ul') ?? element('ul', { class: 'plain' })
    arrange(list, answer.logs.map(log => known.get(String(log.id)) ?? this.#logElement(device, log)))
    arrange(logs.body, [list])
  }

  #logElement(device, log) {
    return element('li', { class: 'row', 'data-log': log.id },
      element('span', {}, `${log.fileName}, ${bytes(log.bytes)}`), element('span', { class: 'quiet' }, time(log.receivedAt)),
      button('Download', () => this.#try(() => download(`devices/${segment(device.name)}/logs/${log.id}`, { run: device.run }, log.fileName).then(() => `${log.fileName} is saved.`)), { 'aria-label': `Download ${log.fileName}` }))
  }
}

/** What was there stays while the server is silent: the page says so at its top. */
const problemIn = body => error => {
  if (error instanceof Silence) return null
  body.replaceChildren(element('p', { class: 'problem' }, error.message))
  return null
}

/** Battery, activity, accuracy and odometer, in whatever of the SDK's forms they came. */
export function factsOf(record) {
  const facts = []
  const { battery, activity, odometer } = record
  if (Number.isFinite(battery?.level) && battery.level >= 0) {
    facts.push(['battery', `${Math.round(battery.level * 100)} %${battery.is_charging ? ', charging' : ''}`])
  }
  const doing = typeof activity === 'string' ? activity : activity?.type ?? activity?.activity
  if (typeof doing === 'string') facts.push(['activity', activity?.confidence > 0 ? `${doing}, ${activity.confidence} % sure` : doing])
  if (Number.isFinite(record.coords?.accuracy)) facts.push(['accuracy', `${Number(record.coords.accuracy.toFixed(1))} m`])
  if (Number.isFinite(odometer)) facts.push(['odometer', distance(odometer)])
  return facts
}
