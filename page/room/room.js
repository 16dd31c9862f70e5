// Puts the control room together and keeps it up to date.

import { Charts } from '../charts.js'
import { byID, element, replaceText } from '../dom.js'
import { count, rate, time } from '../format.js'
import { ActPanel } from './acts.js'
import { Drawing } from './drawing.js'
import { get, getBlob, stay } from './link.js'
import { RoomMap } from './map.js'
import { ErrorPanel, FleetPanel, LogPanel, milliseconds, runTime } from './panels.js'
import { PhonePanel } from './phone.js'
import { conditions, Phones } from './phones.js'
import { Slider } from './slider.js'
import { openView, Tabs } from './tabs.js'

const phones = new Phones()
const map = new RoomMap(byID('map'), byID('marks'), phones)
const tabs = new Tabs()
const phonePanel = new PhonePanel(phones)
const errorPanel = new ErrorPanel()
const fleetPanel = new FleetPanel()
const logPanel = new LogPanel()
const slider = new Slider()
const drawing = new Drawing(map)
const acts = new ActPanel({ drawing })
const charts = new Charts(byID('charts'), [
  { title: 'Uploads/s', format: value => value === null ? '–' : rate(value), lines: [
    { name: 'all', key: 'uploads', color: 'good', fill: true }, { name: 'errors', key: 'errors', color: 'bad' }] },
  { title: 'Answer time', format: milliseconds, lines: [
    { name: 'p99', key: 'p99', color: 'line', fill: true }, { name: 'p95', key: 'p95', color: 'line-soft' }, { name: 'p50', key: 'p50', color: 'warn' }] },
  { title: 'Queued records', format: value => value === null ? '–' : count(value), lines: [{ name: 'in all queues', key: 'queue', color: 'line', fill: true }] },
  { title: 'Generator lag', format: milliseconds, lines: [{ name: 'p99', key: 'lag', color: 'warn', fill: true }] },
], () => state?.phase === 'ended' ? charts.last?.at ?? Date.now() : Date.now() + clockOffset)

/** The clock of the machine of the run less the browser's. */
let clockOffset = 0

/** The last state that came. */
let state = null
let isLive = false
/** The line to the run was lost once, or stands. */
let wasTold = false
/** What was at the instant of the slider, as `GET at` tells it; null for now. */
let moment = null

/** Of now, and of an instant. */
const [figures, pastFigures] = [[
  ['run time', ({ atSeconds }) => runTime(atSeconds)],
  ['running apps', ({ apps, devices }) => `${count(apps)} of ${count(devices)}`],
  ['errors', ({ errors }) => count(errors), ({ errors }) => errors > 0 ? 'bad' : ''],
  ['waiting', ({ queue }) => count(queue)],
  ['uploads/s', ({ uploadsPerSecond }) => rate(uploadsPerSecond)],
  ['records/s', ({ recordsPerSecond }) => rate(recordsPerSecond)],
  ['connections', ({ connections }) => connections === null ? '–' : count(connections)],
  ['p50 · p95 · p99', ({ p50Milliseconds, p95Milliseconds, p99Milliseconds }) => p50Milliseconds === null ? '–' : [p50Milliseconds, p95Milliseconds, p99Milliseconds].map(milliseconds).join(' · ')],
  ['lag p99', ({ lagP99Milliseconds }) => milliseconds(lagP99Milliseconds), ({ isLate }) => isLate ? 'bad' : ''],
], [
  ['run time', ({ atSeconds }) => runTime(atSeconds)],
  ['running apps', ({ fleetFigures }) => `${count(sum(fleetFigures, 'active'))} of ${count(sum(fleetFigures, 'phones'))}`],
  ['failed uploads', ({ sums }) => count(sums.failedUploads), ({ sums }) => sums.failedUploads > 0 ? 'bad' : ''],
  ['waiting', ({ fleetFigures }) => count(sum(fleetFigures, 'queue'))],
  ['uploads', ({ sums }) => count(sums.uploads)],
  ['records made', ({ sums }) => count(sums.records)],
]].map(list => list.map(([name, text, mood]) => {
  const value = element('dd', {}, '–')
  const node = element('div', {}, element('dt', {}, name), value)
  byID('figures').append(node)
  return {
    node,
    show(from) {
      replaceText(value, text(from))
      value.dataset.state = mood?.(from) ?? ''
    },
  }
}))

const sum = (fleets, key) => fleets.reduce((total, fleet) => total + fleet[key], 0)

/** What is told of the whole, of now or of the instant of the slider; what is of now all the same is told apart. */
function showWhole() {
  const isPast = slider.instant !== null
  for (const { node } of figures) node.hidden = isPast
  for (const { node } of pastFigures) node.hidden = !isPast
  byID('figures').setAttribute('aria-label', isPast ? `The run at ${runTime(slider.instant)}` : 'The run now')
  for (const id of ['charts', 'panel-errors', 'panel-log']) byID(id).classList.toggle('of-now', isPast)
  byID('moment').hidden = !isPast
  if (!isPast && state) {
    for (const figure of figures) figure.show(state)
    fleetPanel.show(state.fleets)
  }
  if (isPast && moment) {
    for (const figure of pastFigures) figure.show(moment)
    fleetPanel.show(moment.fleetFigures)
  }
  const nearest = moment?.isExact === false ? ` The recording has lost what happened around ${runTime(slider.instant)}: this is ${runTime(moment.atSeconds)}, the nearest earlier state that it keeps.` : ''
  replaceText(byID('moment'), `This is the run at ${runTime(moment?.atSeconds ?? slider.instant ?? 0)}. Only charts, errors and acts are of now.${nearest}`)
  showAreas()
}
for (const { node } of pastFigures) node.hidden = true

const legend = conditions.map(({ name, says, state: mark }) => {
  const number = element('b', {}, '0')
  byID('legend').append(element('li', { title: says }, element('span', { class: 'mark', 'data-state': mark }), element('span', {}, name), number))
  return number
})
byID('legend').append(element('li', { title: 'a line leads from a phone to its last stored position' }, element('span', { class: 'line' }), element('span', {}, 'server behind')))
const areaNumber = element('b', {}, '0')
byID('legend').append(element('li', { id: 'legend-areas', title: 'phones that were in the area have another network', hidden: true }, element('span', { class: 'area' }), element('span', {}, 'network dropped'), areaNumber))

function takeState(next) {
  const before = state
  state = next
  replaceText(byID('run'), state.target ? `${state.scenario} → ${new URL(state.target).host}` : state.scenario)
  byID('run').hidden = false
  byID('run').title = `seed ${state.seed}, ${state.mode}${state.target ? `, ${state.target}` : ''}`
  clockOffset = Date.parse(state.now) - Date.now()
  showOrigin(state)
  replaceText(byID('phase'), phaseText(state))
  acts.update(state)
  warn(state)
  byID('badge-errors').hidden = state.errors === 0
  replaceText(byID('badge-errors'), count(state.errors))
  slider.update(state.atSeconds, state.isRecorded)
  showWhole()
  if (before?.acts !== state.acts) loadActs()
  charts.edge = state.phase === 'ended' ? 'the end' : 'now'
  if (state.sample && state.sample.at !== charts.last?.at) charts.append(lineOf(state.sample))
}

/** A sample of the run as the charts have it. */
const lineOf = ({ at, uploadsPerSecond, errorsPerSecond, p50Milliseconds, p95Milliseconds, p99Milliseconds, queue, lagP99Milliseconds }) => ({
  at, uploads: uploadsPerSecond, errors: errorsPerSecond, p50: p50Milliseconds, p95: p95Milliseconds, p99: p99Milliseconds,
  queue, lag: lagP99Milliseconds,
})

/** The charts are full from the first moment on, and after the page was hidden. */
async function loadPast() {
  const history = await get('history').catch(() => null)
  if (history) charts.fill(history.samples.map(lineOf))
}

/** Which program runs where since when, as in the head of every report. */
function showOrigin({ version, host, command, begunAt }) {
  replaceText(byID('origin'), `Rolling Road ${version} · since ${time(begunAt)} · ${host} · ${command}`)
  byID('origin').title = `${command}\n${host}\n${begunAt}`
  byID('origin').hidden = false
}

function phaseText({ phase, isPaused, share, mode }) {
  if (phase === 'ended') return 'ended'
  if (isPaused) return 'paused'
  return phase === 'settling' ? 'draining' : `${mode}, ${Math.floor(share * 100)} %`
}

function warn({ isLate, lagP99Milliseconds }) {
  byID('lag').hidden = !isLate
  if (isLate) replaceText(byID('lag'), `This machine is too slow for the run: phones are ${milliseconds(lagP99Milliseconds)} late (p99). Answer times now show the machine and not the server. Use fewer phones, or shards on more machines.`)
  showEnd()
}

/** A run that has ended takes its room along, unless it is to stay: then nothing is lost, and no line is to be told. */
function showEnd() {
  const isOver = state?.phase === 'ended'
  byID('lost').hidden = isLive || isOver || !wasTold
  byID('ended').hidden = !isOver
  if (!isOver) return
  const what = state.stays && isLive ? 'What you see stays until Ctrl-C in its terminal.' : 'Its control room closes with it; this page keeps what it told last.'
  replaceText(byID('ended'), `The run has ended${state.result ? `: ${state.result}` : ''}. ${what}`)
}

let isAsking = false
let wantsNames = true
/** Places come once a second; names when phones have come or gone. */
async function loadPhones() {
  if (isAsking || document.hidden || !isLive || slider.instant !== null) return
  isAsking = true
  const answer = await get(`phones?names=${wantsNames}`).catch(() => null)
  isAsking = false
  if (answer && slider.instant === null) takePhones(answer)
}

function takePhones(answer) {
  const name = phones.names[map.selected]
  wantsNames = !phones.take(answer)
  if (wantsNames) return loadPhones()
  if (name !== undefined && phones.names[map.selected] !== name) map.selected = phones.names.indexOf(name)
  legend.forEach((node, code) => {
    replaceText(node, count(phones.counts[code]))
    node.parentElement.hidden = phones.counts[code] === 0 && code > 2
  })
  chooseWanted()
  map.update()
}

async function loadActs() {
  const answer = await get('acts').catch(() => null)
  if (!answer) return
  logPanel.show(answer.acts)
  areas = answer.acts.filter(({ place, outcome }) => place && outcome === 'applied')
  showAreas()
}

/** Acts that gave the phones in an area another network. */
let areas = []
let shownAreas = ''

/** Those that last at the instant that is shown. */
function showAreas() {
  const at = slider.instant ?? state?.atSeconds ?? 0
  // An act that was done while the run stands still has the instant at which it goes on.
  const lasting = areas.filter(({ atSeconds, untilSeconds }) => (slider.instant === null || atSeconds <= at) && at < untilSeconds)
  const numbers = lasting.map(({ number }) => number).join()
  if (numbers === shownAreas) return
  shownAreas = numbers
  byID('legend-areas').hidden = lasting.length === 0
  replaceText(areaNumber, count(lasting.length))
  map.areas = lasting.map(({ place }) => drawing.project(place))
  map.refresh()
}

let turn = 0
setInterval(() => {
  if (!isLive || document.hidden) return charts.draw()
  turn += 1
  loadPhones()
  if (slider.instant === null && tabs.current === 'phone') phonePanel.load()
  if (tabs.current === 'errors' && turn % 2 === 0) get('errors').then(answer => errorPanel.show(answer), () => {})
}, 1_000)

// The phone that is looked at.

/** As the address names it, until that phone is there. */
let wanted = null

function chooseWanted() {
  if (wanted === null) return
  const index = phones.names.indexOf(wanted)
  if (index >= 0) choose(index)
}

function choose(index) {
  wanted = null
  map.selected = index
  if (index < 0) map.isFollowing = false
  phonePanel.show(phones.names[index] ?? null, map.isFollowing)
  acts.propose(phones.fleets[index])
  map.refresh()
  remember()
}

function chooseAndShow(index) {
  choose(index)
  if (index < 0) return
  tabs.open('phone')
  if (!map.view.shows(phones.x[index], phones.y[index])) map.centreOn(index)
}

map.addEventListener('choose', ({ detail: index }) => {
  chooseAndShow(index)
  if (index >= 0 && byID('map').clientWidth === document.body.clientWidth) openView('side')
})
phonePanel.addEventListener('choose', ({ detail: index }) => chooseAndShow(index))
phonePanel.addEventListener('centre', () => {
  openView('map')
  map.centreOn(map.selected)
})
phonePanel.addEventListener('follow', () => {
  map.isFollowing = !map.isFollowing
  phonePanel.show(phones.names[map.selected] ?? null, map.isFollowing)
  map.refresh()
})

slider.addEventListener('instant', () => {
  if (slider.instant === null) {
    moment = null
    loadPhones()
  }
  phonePanel.load(slider.instant)
  showWhole()
  remember()
})
slider.addEventListener('phones', ({ detail }) => {
  moment = detail
  takePhones(detail)
  showWhole()
})
slider.addEventListener('problem', ({ detail }) => acts.say(detail.message, 'bad'))

byID('chart-span').addEventListener('change', () => {
  charts.span = Number(byID('chart-span').value) * 1_000
  remember()
})
byID('zoom-in').addEventListener('click', () => { map.view.zoom(1.6); map.moved() })
byID('zoom-out').addEventListener('click', () => { map.view.zoom(1 / 1.6); map.moved() })
byID('zoom-fit').addEventListener('click', () => map.fit())
tabs.addEventListener('open', () => {
  remember()
  if (tabs.current === 'errors') get('errors').then(answer => errorPanel.show(answer), () => {})
})

/** A link to a file would not carry the token. */
for (const id of ['save', 'report']) {
  byID(id).addEventListener('click', async event => {
    event.preventDefault()
    const name = id === 'save' ? 'scenario' : 'report'
    const blob = await getBlob(name).catch(error => error)
    if (blob instanceof Error) return acts.say(blob.message, 'bad')
    const link = element('a', { href: URL.createObjectURL(blob) })
    link.download = id === 'save' ? `${state?.scenario ?? 'run'}-session.json5` : `${state?.scenario ?? 'run'}-report.html`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  })
}

// The address keeps what is looked at.

function remember() {
  const parts = new URLSearchParams()
  const name = wanted ?? phones.names[map.selected]
  if (name) parts.set('phone', name)
  if (tabs.current !== 'phone') parts.set('tab', tabs.current)
  if (slider.instant !== null) parts.set('at', slider.instant)
  if (byID('chart-span').value !== '120') parts.set('span', byID('chart-span').value)
  const hash = parts.size > 0 ? `#${parts}` : ''
  if (hash !== location.hash) history.replaceState(null, '', `${location.pathname}${hash}`)
}

function recall() {
  const parts = new URLSearchParams(location.hash.slice(1))
  wanted = parts.get('phone')
  const [tab, at] = [parts.get('tab'), parts.get('at')]
  if (parts.get('span') === '600') byID('chart-span').value = '600'
  charts.span = Number(byID('chart-span').value) * 1_000
  if (tab) tabs.open(tab)
  if (at !== null && Number.isFinite(Number(at))) slider.go(Number(at))
  chooseWanted()
}

// Keyboard shortcuts, outside of text fields.

const keys = {
  n: () => phones.count > 0 && chooseAndShow((map.selected + 1) % phones.count),
  N: () => phones.count > 0 && chooseAndShow((map.selected + phones.count - 1) % phones.count),
  '/': () => { tabs.open('phone'); openView('side'); phonePanel.focusSearch() },
  ',': () => state?.isRecorded && slider.step(-60),
  '.': () => state?.isRecorded && slider.step(60),
  ' ': () => acts.togglePause(),
}
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
  if (event.target.matches('input, select, textarea')) return
  if (event.key === ' ' && event.target.matches('button, summary, a')) return
  const act = keys[event.key] ?? acts.key(event.key)
  if (!act) return
  event.preventDefault()
  act()
})

let hasStreets = false
recall()
tabs.open(tabs.current)
stay((name, data) => { if (name === 'state') takeState(data) }, problem => {
  isLive = problem === null
  wasTold = true
  document.body.dataset.link = isLive ? 'live' : 'lost'
  byID('link').dataset.state = isLive ? 'live' : 'lost'
  replaceText(byID('link'), isLive ? 'live' : 'not connected')
  replaceText(byID('lost'), problem?.message ?? '')
  showEnd()
  acts.enable(isLive)
  if (!isLive) return
  loadPast()
  loadPhones()
  if (!hasStreets) get('map').then(streets => { hasStreets = true; map.takeStreets(streets) }, () => {})
})
