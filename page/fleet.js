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
  status = 0
  fault = null
  state = 'silent'
  trail = new Trail()

  constructor(run, name) {
    this.run = run
    this.name = name
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
  /** The server's clock less the browser's. */
  clockOffset = 0

  get now() { return Date.now() + this.clockOffset }

  find(run, name) { return this.devices.get(`${run}\n${name}`) }

  #device(run, name) {
    const key = `${run}\n${name}`
    let device = this.devices.get(key)
    if (!device) {
      device = new Device(run, name)
      this.devices.set(key, device)
      this.all.push(device)
      this.membership += 1
    }
    return device
  }

  /** A device of the list that the server keeps. */
  takeStored(stored) {
    const device = this.#device(stored.run, stored.device)
    device.seenAt = Math.max(device.seenAt, Date.parse(stored.lastSeen))
    if (stored.latest) {
      const recordedAt = stored.latest.recordedAt ? Date.parse(stored.latest.recordedAt) : 0
      this.#place(device, { ...stored.latest, recordedAt })
    }
    this.#changed(device)
  }

  /** A device of the live stream. */
  takeLive(line) {
    const device = this.#device(line.run, line.device)
    device.seenAt = Math.max(device.seenAt, line.seenAt)
    if (line.status) {
      device.status = line.status
      device.fault = line.fault ?? null
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

  /** Leaves out those that the server does not know any more. */
  keepOnly(stored) {
    const names = new Set(stored.map(({ run, device }) => `${run}\n${device}`))
    if (this.all.every(({ run, name }) => names.has(`${run}\n${name}`))) return
    this.all = this.all.filter(({ run, name }) => names.has(`${run}\n${name}`))
    this.devices = new Map(this.all.map(device => [`${device.run}\n${device.name}`, device]))
    this.membership += 1
    this.revision += 1
  }
}
