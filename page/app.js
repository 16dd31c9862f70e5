// Puts the page together and keeps it up to date.

import { askForToken } from './access.js'
import { get, onTokenWanted, run } from './api.js'
import { Charts } from './charts.js'
import { Connection } from './connection.js'
import { DevicePanel } from './device.js'
import { byID, replaceText } from './dom.js'
import { FaultPanel } from './faults.js'
import { Figures } from './figures.js'
import { Fleet } from './fleet.js'
import { count, microseconds, rate } from './format.js'
import { Legend } from './legend.js'
import { DeviceList } from './list.js'
import { DeviceMap } from './map.js'
import { QuarantinePanel } from './quarantine.js'
import { openView, startViews, Tabs } from './tabs.js'
import { TokenPanel } from './tokens.js'

const fleet = new Fleet()
const map = new DeviceMap(byID('map'), byID('marks'), fleet)
const list = new DeviceList(fleet)
const legend = new Legend(map.hidden, () => { list.refilter(); map.refresh() })
list.hidden = map.hidden
const figures = new Figures()
const tabs = new Tabs()
const devicePanel = new DevicePanel(fleet, map)
const panels = { faults: new FaultPanel(fleet), tokens: new TokenPanel(), quarantine: new QuarantinePanel() }
const perSecond = value => value === null ? '–' : rate(value)
const charts = new Charts(byID('charts'), [
  { title: 'Requests/s', format: perSecond, lines: [
    { name: '2xx', key: 'good', color: 'good', fill: true }, { name: '4xx', key: 'client', color: 'warn' },
    { name: '5xx', key: 'server', color: 'bad' }, { name: 'faults', key: 'faults', color: 'fault' }] },
  { title: 'Answer time', format: microseconds, lines: [
    { name: 'p95', key: 'p95', color: 'line', fill: true }, { name: 'p50', key: 'p50', color: 'line-soft' }] },
  { title: 'Records/s', format: perSecond, lines: [
    { name: 'stored', key: 'accepted', color: 'good', fill: true }, { name: 'again', key: 'duplicate', color: 'warn' },
    { name: 'bad', key: 'quarantined', color: 'bad' }] },
  { title: 'Waiting to be written', format: perSecond, lines: [{ name: 'requests', key: 'waiting', color: 'line', fill: true }] },
], () => fleet.now)

function choose(device, instead) {
  map.selected = device
  map.isFollowing = false
  list.select(device)
  devicePanel.show(device, instead)
  panels.faults.propose(device)
  map.refresh()
  if (device && !instead) tabs.open('device')
}

map.addEventListener('choose', ({ detail: device }) => {
  choose(device)
  if (device) openView('side')
})
list.addEventListener('choose', ({ detail: device }) => {
  choose(device)
  if (device.x !== null && !map.view.shows(device.x, device.y)) map.centreOn(device)
})

byID('zoom-in').addEventListener('click', () => { map.view.zoom(1.6); map.moved() })
byID('zoom-out').addEventListener('click', () => { map.view.zoom(1 / 1.6); map.moved() })
byID('zoom-fit').addEventListener('click', () => map.fit())
tabs.addEventListener('open', ({ detail: name }) => panels[name]?.load())

let drawnRevision = -1
/** What stands in words follows at a pace at which it can be read. */
function tell() {
  fleet.age()
  if (drawnRevision !== fleet.revision) {
    drawnRevision = fleet.revision
    legend.update(fleet.counts())
    replaceText(byID('figure-devices'), count(fleet.all.length))
    list.update()
    map.refresh()
  }
  map.keepInSight()
  devicePanel.update()
  byID('map-hint').hidden = !hasList || fleet.all.length > 0
}
setInterval(tell, 500)

let panelTurn = 0
setInterval(() => {
  if (document.hidden) return
  if (!connection.isLive) return charts.draw()
  panelTurn += 1
  if (tabs.current !== 'device' && panelTurn % 2 === 0) panels[tabs.current].load()
  if (tabs.current !== 'quarantine' && panelTurn % 5 === 0) panels.quarantine.loadCounts().catch(() => {})
  if (tabs.current !== 'faults' && panelTurn % 5 === 0) panels.faults.load()
}, 1_000)

const events = {
  hello(hello) {
    figures.restart(hello.bounds)
    mapRevision = null
    panels.tokens.describe(hello.auth)
    loadAll()
    devicePanel.reload()
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

let mapRevision = null
/** What was put under the devices; asked for again with the next figures when that fails. */
async function loadStreets(revision) {
  mapRevision = revision
  await get('map').then(map.takeStreets.bind(map)).catch(() => { mapRevision = null })
}

let hasList = false
/** Every device that the server keeps. */
async function loadAll() {
  const list = fleet.expectList()
  const answer = await get('devices').catch(() => null)
  if (!fleet.isExpected(list) || !connection.isLive) return
  if (!answer) return setTimeout(() => { if (fleet.isExpected(list)) loadAll() }, 1_000)
  fleet.takeList(answer.devices)
  hasList = true
  letGo()
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

onTokenWanted(askForToken)
startViews()
if (run) {
  byID('run').hidden = false
  replaceText(byID('run'), `run ${decodeURIComponent(run)}`)
}
const tiles = document.querySelector('meta[name=tiles]')
byID('map-credit').hidden = !tiles.content
replaceText(byID('map-credit'), tiles.dataset.credit || (tiles.content ? `Tiles: ${new URL(tiles.content.replace(/[{}]/g, '')).host}` : ''))
replaceText(byID('map-hint'), `No device has sent anything yet. Point one at ${new URL('locations', document.baseURI).href}`)
connection.stay()
