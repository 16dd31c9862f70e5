// The map: one canvas, drawn when something has changed and no oftener than the screen shows it.

import { CanvasMap } from './canvas-map.js'
import { drawGraticule, drawScale, Tiles } from './ground.js'
import { drawHeat } from './heat.js'
import * as mercator from './mercator.js'
import { states } from './states.js'
import { TrailPainting } from './trails.js'

const namedAtMost = 40
const pointsAtMost = 400
/** From the middle of a mark to its edge, and to its name. */
const markReach = 8
const nameGap = 11
/** Milliseconds in which the map goes to another view. */
const flight = 600
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

export class DeviceMap extends CanvasMap {
  selected = null
  hovered = null
  /** What is shown of the devices; the whole fleet without one. */
  filter = null
  /** Failures glow. */
  hasHeat = false
  /** `{ x, y, radius, name }` of the device that is looked at. */
  fences = []
  /** Where the device that is looked at has been; points on the unit square. */
  history = []
  /** The point of its way that is looked at, and where a replay of it is. */
  pointed = null
  replay = null
  #fleet
  #trails = new TrailPainting()
  #tiles = null
  /** `{ from, to, startedAt }` while it goes to another view by itself. */
  #flight = null

  constructor(canvas, marksCanvas, fleet) {
    super(canvas, marksCanvas, states.map(({ name }) => name))
    this.#fleet = fleet
    const tiles = document.querySelector('meta[name=tiles]')
    if (tiles.content) this.#tiles = new Tiles(tiles.content, () => this.refresh())
    this.start()
  }

  forget() { this.#trails.forget() }

  /** Until the user takes hold of the map it shows all devices, wherever they go. */
  keepInSight() {
    if (this.wasMoved || this.#flight || this.view.width === 1) return
    if (!this.isFitted) return this.fit()
    const places = this.places()
    this.isFitted = places.length > 0
    if (places.every(([x, y]) => this.view.shows(x, y))) return
    if (isStill.matches) return this.fit()
    const to = this.view.copy()
    to.fit(places)
    this.#flight = { from: this.view.copy(), to, startedAt: performance.now() }
    this.refresh()
  }

  places() { return this.#fleet.all.filter(device => device.x !== null && (this.filter?.names(device) ?? true)).map(device => [device.x, device.y]) }

  moved() {
    this.#flight = null
    super.moved()
  }

  fit() {
    this.#flight = null
    super.fit()
  }

  #fly(now) {
    const { from, to, startedAt } = this.#flight
    const share = Math.min(1, Math.max(0, (now - startedAt) / flight))
    this.view.between(from, to, share * share * (3 - 2 * share))
    if (share === 1) this.#flight = null
    this.refresh()
  }

  /** So that these points of the unit square are seen. */
  show(places) {
    this.view.fit(places)
    this.isFollowing = false
    this.moved()
  }

  centreOn(device) { if (device.x !== null) this.centreAt(device.x, device.y) }

  isHidden = device => this.filter !== null && !this.filter.shows(device) && device !== this.selected

  /** The device under a point of the screen; the nearest within a finger's width. */
  deviceAt(left, top, reach = 14) {
    const now = performance.now()
    let [nearest, least] = [null, reach * reach]
    for (const device of this.#fleet.all) {
      if (device.x === null || this.isHidden(device)) continue
      const [x, y] = this.view.toScreen(...device.placeAt(now))
      const squared = (x - left) ** 2 + (y - top) ** 2
      if (squared < least) [nearest, least] = [device, squared]
    }
    return nearest
  }

  /** The point of the way under a point of the screen, as its place in `history`; -1 where there is none. */
  pointAt(left, top, reach = 8) {
    let [nearest, least] = [-1, reach * reach]
    this.history.forEach(([x, y], index) => {
      const [pointLeft, pointTop] = this.view.toScreen(x, y)
      const squared = (pointLeft - left) ** 2 + (pointTop - top) ** 2
      if (squared < least) [nearest, least] = [index, squared]
    })
    return nearest
  }

  hover(device) {
    if (device === this.hovered) return
    this.hovered = device
    this.setHovering(device !== null)
    this.refresh()
  }

  choose(device) { this.dispatchEvent(new CustomEvent('choose', { detail: device })) }

  /** A click: on a device, on a point of the way of the chosen one, or beside both. */
  clicked(left, top, reach) {
    const device = this.deviceAt(left, top, reach)
    const point = device && device !== this.selected ? -1 : this.pointAt(left, top)
    if (point >= 0) this.dispatchEvent(new CustomEvent('point', { detail: point }))
    else this.choose(device)
  }

  draw(now) {
    const { view, context } = this
    if (this.#flight) this.#fly(now)
    if (this.isFollowing && this.selected?.x != null) [view.x, view.y] = this.selected.placeAt(now)
    this.clear()
    this.#tiles?.draw(context, view)
    this.streets.draw(context, view, this.colors)
    drawGraticule(context, view, this.colors)
    this.#trails.work(this.#fleet, view, this.colors, this.isHidden)
    this.#trails.draw(context, view)
    if (this.hasHeat) drawHeat(context, view, this.#fleet.all, this.isHidden, this.colors.states.failing)
    this.#drawHistory(context)
    this.#drawFences(context)
    const isGliding = this.#drawDevices(context, now)
    drawScale(context, view, this.colors)
    if (isGliding || this.#trails.isBusy) this.refresh()
  }

  #drawHistory(context) {
    if (this.history.length < 2) return
    context.strokeStyle = this.colors.accent
    context.lineWidth = 2.5
    context.lineJoin = 'round'
    context.beginPath()
    this.history.forEach(([x, y], index) => {
      const place = this.view.toScreen(x, y)
      if (index === 0) context.moveTo(...place)
      else context.lineTo(...place)
    })
    context.stroke()
    this.#drawPoints(context)
  }

  /** Points are there to be clicked on where they do not run into each other. */
  #drawPoints(context) {
    const places = this.history.map(([x, y]) => this.view.toScreen(x, y))
      .filter(([left, top]) => left > -8 && top > -8 && left < this.view.width + 8 && top < this.view.height + 8)
    context.fillStyle = this.colors.map
    context.lineWidth = 1.5
    for (const [left, top] of places.length <= pointsAtMost ? places : []) ring(context, left, top, 3)
    context.fillStyle = this.colors.accent
    if (this.pointed) ring(context, ...this.view.toScreen(this.pointed.x, this.pointed.y), 6)
  }

  #drawFences(context) {
    context.strokeStyle = context.fillStyle = this.colors.fence
    context.font = this.colors.smallFont
    context.textBaseline = 'alphabetic'
    for (const fence of this.fences) {
      const [left, top] = this.view.toScreen(fence.x, fence.y)
      const radius = fence.radius * mercator.perMetre(mercator.latitude(fence.y)) * this.view.scale
      context.beginPath()
      context.arc(left, top, radius, 0, 2 * Math.PI)
      context.globalAlpha = 0.12
      context.fill()
      context.globalAlpha = 1
      context.lineWidth = 1.5
      context.stroke()
      context.fillText(fence.name, left - radius * 0.7, top - radius * 0.75 - 4)
    }
    for (const { x, y } of this.selected?.trail.crossings ?? []) {
      const [left, top] = this.view.toScreen(x, y)
      context.lineWidth = 2
      context.beginPath()
      context.arc(left, top, 5, 0, 2 * Math.PI)
      context.stroke()
    }
  }

  #drawDevices(context, now) {
    const { view } = this
    let isGliding = false
    const seen = []
    for (const device of this.#fleet.all) {
      if (device.x === null || this.isHidden(device)) continue
      isGliding ||= device.isGliding(now)
      const [x, y] = device.placeAt(now)
      const left = (x - view.x) * view.scale + view.width / 2
      const top = (y - view.y) * view.scale + view.height / 2
      if (left > -20 && top > -20 && left < view.width + 20 && top < view.height + 20) seen.push([device, left, top])
    }
    if (seen.length <= namedAtMost) this.#drawNames(context, seen)
    const chosen = [this.hovered, this.selected].filter(device => device && device.x !== null)
    this.marks.begin()
    const scale = this.marks.scaleFor(Math.sqrt(view.width * view.height / Math.max(1, seen.length)))
    const pictures = Object.fromEntries(states.map(({ name }) => [name, this.marks.pictures(name, scale)]))
    for (const [device, left, top] of seen) this.marks.stamp(pictures[device.state], device.heading, left, top)
    for (const device of chosen) {
      this.marks.stamp(this.marks.pictures(device.state, 1), device.heading, ...view.toScreen(...device.placeAt(now)))
    }
    this.marks.end()
    for (const device of chosen) this.#drawChosen(device, now, seen)
    if (this.replay) this.#drawReplay(this.marks.context)
    return isGliding
  }

  /** On the right of its mark, else on the left, where neither a mark nor another name is in the way; else not at all. */
  #drawNames(context, seen) {
    const taken = seen.map(([, left, top]) => [left - markReach, top - markReach, left + markReach, top + markReach])
    const isFree = box => box[0] > 0 && box[2] < this.view.width
      && !taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])
    context.font = this.colors.smallFont
    for (const [device, left, top] of seen) {
      if (device === this.selected || device === this.hovered) continue
      const text = label(device)
      const width = context.measureText(text).width
      const start = [left + nameGap, left - nameGap - width].find(start => isFree([start - 1, top - 7, start + width + 1, top + 7]))
      if (start === undefined) continue
      taken.push([start, top - 7, start + width, top + 7])
      this.write(context, text, start, top)
    }
  }

  #drawChosen(device, now, seen) {
    const [left, top] = this.view.toScreen(...device.placeAt(now))
    this.circle(left, top)
    this.writeChosen(label(device), left, top, seen.filter(([other]) => other !== device).map(([, across, down]) => [across, down]))
  }

  #drawReplay(context) {
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    context.strokeStyle = this.colors.map
    context.fillStyle = this.colors.accent
    context.lineWidth = 2
    ring(context, ...this.view.toScreen(this.replay.x, this.replay.y), 8)
  }
}

function ring(context, left, top, radius) {
  context.beginPath()
  context.arc(left, top, radius, 0, 2 * Math.PI)
  context.fill()
  context.stroke()
}

const short = (name, most) => name.length > most ? `${name.slice(0, most - 1)}…` : name
/** Devices of two runs may have one name. */
const label = ({ run, name }) => run ? `${short(run, 14)} / ${short(name, 20)}` : short(name, 28)
