// The devices as the page knows them.

import * as mercator from './mercator.js'
import { stateOf, states } from './states.js'
import { Trail } from './trail.js'

const glide = 700
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

export class Device {
  x = null
  y = null
  fromX = 0
  fromY = 0
  movedAt = 0
  seenAt = 0
  recordedAt = 0
  /** When the newest record came. */
  arrivedAt = 0
  /** Tells it from a device of the same name that was deleted. */
  firstSeen = null
  status = 0
  fault = null
  /** Requests that failed, one after the other; 0 after one that did not. */
  failures = 0
  /** Those that failed since the page has known it. */
  failed = 0
  state = 'silent'
  tags = []
  /** What a search looks at. */
  words = ''
  trail = new Trail()

  constructor(run, name) {
    this.run = run
    this.name = name
    this.wear([])
  }

  wear(tags) {
    this.tags = tags
    this.words = [this.run, this.name, ...tags].join('\n').toLowerCase()
  }

  /** Where it stands on the map now: it glides to a new place, so that the eye can follow. */
  placeAt(now) {
    const share = (now - this.movedAt) / glide
    if (share >= 1 || isStill.matches) return [this.x, this.y]
    const eased = 1 - (1 - share) ** 3
    return [this.fromX + (this.x - this.fromX) * eased, this.fromY + (this.y - this.fromY) * eased]
  }

  isGliding(now) { return now - this.movedAt < glide }

  move(x, y, now) {
    if (this.x === null) [this.fromX, this.fromY] = [x, y]
    else [this.fromX, this.fromY] = this.placeAt(now)
    this.x = x
    this.y = y
    this.movedAt = now
  }
}

export class Fleet {
  devices = new Map()
  /** In the order in which they were heard of. */
  all = []
  /** Counts changes: what is drawn from the fleet is drawn again when this differs. */
  revision = 0
  /** The same for the set of names. */
  membership = 0
  /** The server has told which devices it keeps: until then nothing is known of their number. */
  isListed = false
  /** Devices were here, also such as are gone. */
  hadDevices = false
  /** The server's clock less the browser's. */
  clockOffset = 0
  /** What the stream told since a list was asked for that has not come. */
  #expected = null

  get now() { return Date.now() + this.clockOffset }

  find(run, name) { return this.devices.get(`${run}\n${name}`) }

  #device(run, name) {
    const key = `${run}\n${name}`
    let device = this.devices.get(key)
    if (!device) {
      device = new Device(run, name)
      this.devices.set(key, device)
      this.all.push(device)
      this.hadDevices = true
      this.membership += 1
    }
    return device
  }

  /** A list of all devices is asked for. What the stream tells until it comes is newer than the list. */
  expectList() { return this.#expected = { heard: new Set(), gone: new Set(), isGone: () => false } }

  isExpected(list) { return list === this.#expected }

  /** The devices that the server keeps, those that fail without a record, and those heard of meanwhile; others are gone. */
  takeList(devices, failures = []) {
    const { heard, gone, isGone } = this.#expected
    const kept = new Set(heard)
    for (const stored of devices) {
      const key = `${stored.run}\n${stored.device}`
      if (!heard.has(key) && (gone.has(key) || isGone(stored.run))) continue
      kept.add(key)
      this.#takeStored(stored, key)
    }
    for (const failure of failures) {
      const key = `${failure.run}\n${failure.device}`
      if (heard.has(key) || gone.has(key) || isGone(failure.run)) continue
      kept.add(key)
      const device = this.#device(failure.run, failure.device)
      this.#takeFailure(device, failure)
      this.#changed(device)
    }
    this.#expected = null
    this.#keep(({ run, name }) => kept.has(`${run}\n${name}`))
    if (this.isListed) return
    this.isListed = true
    this.membership += 1
    this.revision += 1
  }

  #takeStored(stored, key) {
    const known = this.devices.get(key)
    if (known?.firstSeen && known.firstSeen !== stored.firstSeen) this.#keep(device => device !== known)
    const device = this.#device(stored.run, stored.device)
    device.firstSeen = stored.firstSeen
    const lastSeen = Date.parse(stored.lastSeen)
    device.seenAt = Math.max(device.seenAt, lastSeen)
    if (stored.tags) this.wear(device, stored.tags)
    if (stored.failure) this.#takeFailure(device, stored.failure)
    if (stored.latest) {
      const recordedAt = stored.latest.recordedAt ? Date.parse(stored.latest.recordedAt) : 0
      // The list does not say when the newest record came: with the last upload at the latest.
      this.#place(device, { ...stored.latest, recordedAt, arrivedAt: lastSeen })
    }
    this.#changed(device)
  }

  /** Its last request, as the server remembers it; what the stream has told since is newer. */
  #takeFailure(device, { status, fault, at, count }) {
    const instant = Date.parse(at)
    if (device.status && device.seenAt > instant) return
    device.seenAt = Math.max(device.seenAt, instant)
    device.status = status
    device.fault = fault
    device.failures = count
    device.failed = Math.max(device.failed, count)
  }

  /** Its tags were read, or set. */
  wear(device, tags) {
    if (tags.join('\n') === device.tags.join('\n')) return
    device.wear(tags)
    this.membership += 1
    this.revision += 1
  }

  /** It was deleted. */
  remove(run, name) {
    const key = `${run}\n${name}`
    this.#expected?.heard.delete(key)
    this.#expected?.gone.add(key)
    if (this.devices.has(key)) this.#keep(device => device.run !== run || device.name !== name)
  }

  /** A run was reset, or with null everything. */
  forget(run) {
    const isGone = other => run === null || other === run
    if (this.#expected) {
      const before = this.#expected.isGone
      this.#expected.isGone = other => before(other) || isGone(other)
      for (const key of this.#expected.heard) if (isGone(key.split('\n')[0])) this.#expected.heard.delete(key)
    }
    this.#keep(device => !isGone(device.run))
  }

  has(device) { return this.find(device.run, device.name) === device }

  #keep(isKept) {
    const kept = this.all.filter(isKept)
    if (kept.length === this.all.length) return
    this.all = kept
    this.devices = new Map(kept.map(device => [`${device.run}\n${device.name}`, device]))
    this.membership += 1
    this.revision += 1
  }

  /** A device of the live stream. */
  takeLive(line) {
    const device = this.#device(line.run, line.device)
    this.#expected?.heard.add(`${line.run}\n${line.device}`)
    device.seenAt = Math.max(device.seenAt, line.seenAt)
    if (line.status) {
      device.status = line.status
      device.fault = line.fault ?? null
      // One line tells of all that happened since the line before it.
      device.failures = line.failures ?? 0
      device.failed += line.failed ?? 0
    }
    for (const [latitude, longitude, at, event] of line.places) {
      const [x, y] = [mercator.x(longitude), mercator.y(latitude)]
      device.trail.append(x, y, at)
      if (event === 'geofence') device.trail.cross(x, y)
    }
    if (line.latitude !== undefined) this.#place(device, line)
    this.#changed(device)
  }

  #place(device, from) {
    if (from.recordedAt < device.recordedAt) return
    const [x, y] = [mercator.x(from.longitude), mercator.y(from.latitude)]
    if (device.trail.count === 0) device.trail.append(x, y, from.recordedAt)
    if (x !== device.x || y !== device.y) device.move(x, y, performance.now())
    // The same record told once more came when it came first.
    device.arrivedAt = from.recordedAt > device.recordedAt ? from.arrivedAt : Math.min(device.arrivedAt || Infinity, from.arrivedAt)
    device.recordedAt = from.recordedAt
    for (const name of ['latitude', 'longitude', 'speed', 'heading', 'accuracy', 'isMoving', 'event']) device[name] = from[name]
  }

  #changed(device) {
    device.state = stateOf(device, this.now)
    this.revision += 1
  }

  /** Devices fall silent by doing nothing. */
  age() {
    const now = this.now
    for (const device of this.all) {
      const state = stateOf(device, now)
      if (state === device.state) continue
      device.state = state
      this.revision += 1
    }
  }

  counts() {
    const counts = Object.fromEntries(states.map(({ name }) => [name, 0]))
    for (const device of this.all) counts[device.state] += 1
    return counts
  }
}
