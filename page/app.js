// Puts the page together and keeps it up to date.

import { Address } from './address.js'
import { get, run } from './api.js'
import { Charts } from './charts.js'
import { CheckPanel } from './checks.js'
import { Connection } from './connection.js'
import { DevicePanel } from './device.js'
import { byID, replaceText } from './dom.js'
import { FaultPanel } from './faults.js'
import { Figures } from './figures.js'
import { Filter } from './filter.js'
import { Fleet } from './fleet.js'
import { count, microseconds, rate } from './format.js'
import { Legend } from './legend.js'
import { DeviceList } from './list.js'
import { RequestLog } from './log.js'
import { DeviceMap } from './map.js'
import { QuarantinePanel } from './quarantine.js'
import { RunPanel } from './runs.js'
import { SinkRow } from './sinks.js'
import { states } from './states.js'
import { openView, startViews, Tabs } from './tabs.js'
import { TokenPanel } from './tokens.js'

const address = new Address()
const filter = new Filter()
const fleet = new Fleet()
const map = new DeviceMap(byID('map'), byID('marks'), fleet)
map.filter = filter
const list = new DeviceList(fleet, filter)
const legend = new Legend(filter)
const figures = new Figures()
const tabs = new Tabs(['device', 'faults', 'runs', 'checks', 'tokens', 'quarantine'], name => `tab-${name}`,
  (name, isOpen) => { byID(`panel-${name}`).hidden = !isOpen })
const dock = new Tabs(['charts', 'log'], name => `dock-${name}`, (name, isOpen) => { if (isOpen) document.body.dataset.dock = name })
const devicePanel = new DevicePanel(fleet, map, () => see('map'))
const panels = {
  runs: new RunPanel(fleet, filter), faults: new FaultPanel(fleet, filter), checks: new CheckPanel(filter), tokens: new TokenPanel(), quarantine: new QuarantinePanel(),
}
const sinkRow = new SinkRow()
const log = new RequestLog(filter)
const perSecond = value => value === null ? '–' : rate(value)
const charts = new Charts(byID('charts'), [
  { title: 'Requests/s', format: perSecond, lines: [
    { name: '2xx', key: 'good', color: 'good', fill: true }, { name: '4xx', key: 'client', color: 'warn' },
    { name: '5xx', key: 'server', color: 'bad' }, { name: 'faults', key: 'faults', color: 'fault', isDashed: true }] },
  { title: 'Answer time', format: microseconds, lines: [
    { name: 'p95', key: 'p95', color: 'line', fill: true }, { name: 'p50', key: 'p50', color: 'line-soft' }] },
  { title: 'Records/s', format: perSecond, lines: [
    { name: 'stored', key: 'accepted', color: 'good', fill: true }, { name: 'again', key: 'duplicate', color: 'warn' },
    { name: 'bad', key: 'quarantined', color: 'bad' }] },
  { title: 'Waiting to be written', format: perSecond, lines: [{ name: 'requests', key: 'waiting', color: 'line', fill: true }] },
], () => fleet.now)

const isNarrow = matchMedia('(max-width: 1080px)')
/** A view of a narrow screen; a wide one has them all. */
function see(view) {
  openView(view)
  if (isNarrow.matches) address.set({ view })
  if (view === 'log') log.load()
}

function choose(device, instead, isStep = true) {
  map.selected = device
  map.isFollowing = false
  list.select(device)
  devicePanel.show(device, instead)
  panels.faults.propose(device)
  panels.checks.propose(device)
  map.refresh()
  if (instead || isApplying) return
  if (device) quietly(() => tabs.open('device'))
  address.set({ device: device?.name ?? '', of: device?.run ?? '', tab: tabs.current }, { isStep })
}

let isApplying = false
/** What follows from the address, or from another choice, is no choice of its own. */
function quietly(action) {
  isApplying = true
  action()
  isApplying = false
}

map.addEventListener('choose', ({ detail: device }) => {
  choose(device)
  if (device) see('side')
})
map.addEventListener('point', ({ detail: index }) => {
  tabs.open('device')
  devicePanel.showPoint(index)
})
list.addEventListener('choose', ({ detail: { device, isStep } }) => {
  choose(device, undefined, !isStep)
  if (device.x !== null && !map.view.shows(device.x, device.y)) map.centreOn(device)
  if (!isStep && isNarrow.matches) see('side')
})

byID('zoom-in').addEventListener('click', () => { map.view.zoom(1.6); map.moved() })
byID('zoom-out').addEventListener('click', () => { map.view.zoom(1 / 1.6); map.moved() })
byID('zoom-fit').addEventListener('click', () => map.fit())
byID('map-heat').addEventListener('click', () => {
  map.hasHeat = !map.hasHeat
  byID('map-heat').setAttribute('aria-pressed', map.hasHeat)
  map.refresh()
})
tabs.addEventListener('open', ({ detail: name }) => {
  panels[name]?.load?.()
  if (!isApplying) address.set({ tab: name })
})
dock.addEventListener('open', ({ detail: name }) => {
  if (name === 'log') log.load()
  if (!isApplying) address.set({ dock: name })
})
byID('chart-span').addEventListener('change', () => {
  charts.span = Number(byID('chart-span').value) * 1_000
  address.set({ span: byID('chart-span').value }, { isStep: false })
})
filter.addEventListener('change', () => {
  map.refresh()
  if (!isApplying) address.set({ find: filter.text, hide: [...filter.hidden].join(' '), show: filter.run === null ? '' : `run:${filter.run}` }, { isStep: false })
})
list.addEventListener('arrange', () => address.set({ order: list.order, groups: list.grouping }, { isStep: false }))
log.addEventListener('change', () => { if (!isApplying) address.setUnder('log-', log.choices) })

/** Shows what the address says. A device that has not been heard of is shown when it is. */
function apply() { quietly(show) }

function show() {
  filter.text = address.get('find')
  filter.hide(address.get('hide').split(' ').filter(name => states.some(state => state.name === name)))
  filter.run = address.get('show').startsWith('run:') ? address.get('show').slice(4) : null
  list.arrange(address.get('order'), address.get('groups'))
  byID('chart-span').value = address.get('span') === '600' ? '600' : '120'
  charts.span = Number(byID('chart-span').value) * 1_000
  if (JSON.stringify(log.choices) !== JSON.stringify(address.under('log-'))) log.apply(address.under('log-'))
  const device = address.get('device') === '' ? null : fleet.find(address.get('of'), address.get('device')) ?? null
  const isMissing = device === null && address.get('device') !== '' && fleet.isListed
  if (device !== map.selected || isMissing) choose(device, isMissing ? `${address.get('device')} is not on the server.` : undefined)
  tabs.open(address.get('tab'))
  dock.open(address.get('dock'))
  openView(address.get('view'))
}
address.addEventListener('change', apply)

let drawnRevision = -1
/** What stands in words follows at a pace at which it can be read. */
function tell() {
  fleet.age()
  if (drawnRevision !== fleet.revision) {
    drawnRevision = fleet.revision
    if (fleet.isListed) tellCounts()
    list.update()
    map.refresh()
    panels.runs.offer()
  } else {
    list.refresh()
  }
  map.keepInSight()
  devicePanel.update()
  byID('map-hint').hidden = !fleet.isListed || fleet.all.length > 0
  replaceText(byID('map-hint'), `${fleet.hadDevices ? 'No device is left: they were deleted, or the server was reset.' : 'No device has sent anything yet.'} Point one at ${new URL('locations', document.baseURI).href}`)
}

function tellCounts() {
  const counts = fleet.counts()
  legend.update(counts)
  replaceText(byID('figure-devices'), count(fleet.all.length))
  const parts = states.filter(({ name }) => counts[name] > 0).map(({ name }) => `${count(counts[name])} ${name}`)
  replaceText(byID('map-summary'), parts.length === 0 ? 'No devices.' : `${fleet.all.length === 1 ? '1 device' : `${count(fleet.all.length)} devices`}: ${parts.join(', ')}.`)
}
setInterval(tell, 500)

const isLogSeen = () => isNarrow.matches ? document.body.dataset.view === 'log' : dock.current === 'log'
let panelTurn = 0
setInterval(() => {
  if (document.hidden) return
  if (!connection.isLive) return charts.draw()
  panelTurn += 1
  if (isLogSeen()) log.load()
  if (tabs.current !== 'device' && panelTurn % 2 === 0) panels[tabs.current].load?.()
  if (tabs.current !== 'quarantine' && panelTurn % 5 === 0) panels.quarantine.loadCounts().catch(() => {})
  if (tabs.current !== 'faults' && panelTurn % 5 === 0) panels.faults.load()
  if (panelTurn % 2 === 0) sinkRow.load().catch(() => {})
}, 1_000)

const events = {
  hello(hello) {
    figures.restart(hello.bounds)
    mapRevision = null
    panels.tokens.describe(hello.auth)
    byID('locked').hidden = true
    loadAll()
    loadPast()
    devicePanel.reload()
    if (isLogSeen()) log.restart()
    panels[tabs.current]?.load?.()
  },
  devices({ devices }) {
    const isFirst = fleet.all.length === 0
    for (const line of devices) fleet.takeLive(line)
    if (isFirst) map.keepInSight()
    map.refresh()
  },
  deleted({ devices }) {
    for (const { run, device } of devices) fleet.remove(run, device)
    letGo()
  },
  reset({ run }) {
    fleet.forget(run)
    letGo()
    if (isLogSeen()) log.restart()
    panels.faults.load()
    panels.quarantine.loadCounts().catch(() => {})
  },
  figures(counts) {
    fleet.clockOffset = counts.at - Date.now()
    if (counts.mapRevision !== mapRevision) loadStreets(counts.mapRevision)
    const sample = figures.take(counts)
    replaceText(byID('figure-connections'), count(counts.connections))
    notice(counts.outage ? `The server cannot store: ${counts.outage}. Uploads are refused until it can.` : '')
    if (!sample) return
    charts.append(sample)
    replaceText(byID('figure-requests'), rate(sample.requests))
    replaceText(byID('figure-records'), rate(sample.accepted))
    replaceText(byID('figure-p95'), microseconds(sample.p95))
    replaceText(byID('figure-errors'), rate(sample.client + sample.server))
    byID('figure-errors').dataset.state = sample.client + sample.server > 0 ? 'bad' : ''
  },
  resync() { loadAll() },
}

/** The charts are full from the first moment on. */
async function loadPast() {
  const history = await get('history').catch(() => null)
  if (history && connection.isLive) charts.fill(Figures.past(history))
}

let mapRevision = null
/** What was put under the devices; asked for again with the next figures when that fails. */
async function loadStreets(revision) {
  mapRevision = revision
  await get('map').then(map.takeStreets.bind(map)).catch(() => { mapRevision = null })
}

/** Every device that the server keeps, and those that fail without a record. */
async function loadAll() {
  const expected = fleet.expectList()
  const answers = await Promise.all([get('devices'), get('failures')]).catch(() => null)
  if (!fleet.isExpected(expected) || !connection.isLive) return
  if (!answers) return setTimeout(() => { if (fleet.isExpected(expected)) loadAll() }, 1_000)
  fleet.takeList(answers[0].devices, answers[1].failures)
  letGo()
  // The address may name a device that was not known until now.
  if (!map.selected && address.get('device')) apply()
  panels.faults.load()
  panels.quarantine.loadCounts().catch(() => {})
}

/** Of devices that are gone nothing is shown any more. */
function letGo() {
  if (map.hovered && !fleet.has(map.hovered)) map.hover(null)
  if (map.selected && !fleet.has(map.selected)) {
    const now = fleet.find(map.selected.run, map.selected.name)
    choose(now ?? null, `${map.selected.name} is not on the server any more.`)
  }
  tell()
}

function notice(text) {
  byID('notice').hidden = text === ''
  replaceText(byID('notice'), text)
}

const connection = new Connection((name, data) => events[name]?.(data))

startViews(see)
if (run) {
  byID('run').hidden = false
  replaceText(byID('run'), `run ${decodeURIComponent(run)}`)
}
const tiles = document.querySelector('meta[name=tiles]')
byID('map-credit').hidden = !tiles.content
replaceText(byID('map-credit'), tiles.dataset.credit || (tiles.content ? `Tiles: ${new URL(tiles.content.replace(/[{}]/g, '')).host}` : ''))
apply()
connection.stay()
