// Puts the page together and keeps it up to date.

import { askForToken } from './access.js'
import { get, listen, onTokenWanted, Refusal, run } from './api.js'
import { Charts } from './charts.js'
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
const panels = { faults: new FaultPanel(), tokens: new TokenPanel(), quarantine: new QuarantinePanel() }
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
])

function choose(device) {
  map.selected = device
  map.isFollowing = false
  list.select(device)
  devicePanel.show(device)
  panels.faults.propose(device)
  map.refresh()
  if (device) tabs.open('device')
}

map.addEventListener('choose', ({ detail: device }) => {
  choose(device)
  if (device) openView('side')
})
list.addEventListener('choose', ({ detail: device }) => {
  choose(device)
  if (device.x !== null && !isInSight(device)) map.centreOn(device)
})

function isInSight(device) {
  const [left, top] = map.view.toScreen(device.x, device.y)
  return left > 0 && top > 0 && left < map.view.width && top < map.view.height
}

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
  devicePanel.update()
  byID('map-hint').hidden = fleet.all.length > 0
}
setInterval(tell, 500)

let panelTurn = 0
setInterval(() => {
  if (document.hidden || !isConnected) return
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
  },
  devices({ devices }) {
    const isFirst = fleet.all.length === 0
    for (const line of devices) fleet.takeLive(line)
    if (isFirst) map.fitUnlessMoved()
    map.refresh()
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

/** Every device that the server keeps; what the stream told meanwhile is newer and stays. */
async function loadAll() {
  const { devices } = await get('devices')
  const known = fleet.all.length > 0
  for (const device of devices) fleet.takeStored(device)
  if (known) fleet.keepOnly([...devices, ...fleet.all.filter(device => device.status > 0).map(({ run, name }) => ({ run, device: name }))])
  tell()
  map.fitUnlessMoved()
  panels.faults.load()
  panels.quarantine.loadCounts().catch(() => {})
}

let isConnected = false
function say(state, text) {
  isConnected = state === 'live'
  byID('link').dataset.state = state
  replaceText(byID('link'), text)
}

function notice(text) {
  byID('notice').hidden = text === ''
  replaceText(byID('notice'), text)
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

async function stayConnected() {
  let wait = 500
  while (true) {
    try {
      await listen('live', (name, data) => {
        if (name === 'hello') {
          say('live', 'live')
          wait = 500
        }
        events[name]?.(data)
      })
    } catch (error) {
      if (error instanceof Refusal && error.status === 403) notice('This server may be looked at from its own machine only. Start it with --admin-token to use this page from another one.')
    }
    say('lost', 'not connected')
    await pause(wait)
    wait = Math.min(wait * 2, 5_000)
  }
}

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
stayConnected()
