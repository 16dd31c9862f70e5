// What the maps of the page and of the control room share: two canvases above each other, a view, the colors of the page, and at
// most one drawing for each frame of the screen.

import { Marks } from './marks.js'
import * as mercator from './mercator.js'
import { steer } from './steering.js'
import { Streets } from './streets.js'
import { View } from './view.js'

export class CanvasMap extends EventTarget {
  view = new View()
  isFollowing = false
  canvas
  context
  marks
  colors = null
  streets = new Streets()
  /** The user has taken hold of it. */
  wasMoved = false
  /** It has shown a device. */
  isFitted = false
  #states
  #isDue = false

  constructor(canvas, marksCanvas, states) {
    super()
    this.canvas = canvas
    this.#states = states
    this.context = canvas.getContext('2d', { alpha: false })
    this.marks = new Marks(marksCanvas)
  }

  /** Called at the end of the constructor of a map. */
  start() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#restyle())
    this.#restyle()
    new ResizeObserver(() => this.#resize()).observe(this.canvas)
    steer(this.canvas, this)
  }

  // A map says what is drawn (`draw`), where its devices are (`places`), and what it forgets when the colors change (`forget`).

  #restyle() {
    const style = getComputedStyle(this.canvas)
    const value = name => style.getPropertyValue(name).trim()
    this.colors = {
      map: value('--map'), grid: value('--graticule'), muted: value('--muted'), text: value('--text'),
      accent: value('--accent'), fence: value('--fence'), street: value('--street'), artery: value('--artery'),
      line: value('--artery'), tunnel: value('--tunnel'), 'dead-zone': value('--dead-zone'), area: value('--area'),
      smallFont: `11px ${style.fontFamily}`, nameFont: `600 12px ${style.fontFamily}`,
      states: Object.fromEntries(this.#states.map(name => [name, value(`--state-${name}`)])),
    }
    this.marks.restyle(this.colors)
    this.forget()
    this.refresh()
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas
    if (width === 0 || height === 0) return
    this.canvas.width = width * devicePixelRatio
    this.canvas.height = height * devicePixelRatio
    this.marks.resize(width, height, devicePixelRatio)
    const wasSmall = this.view.width === 1
    this.view.resize(width, height)
    if (wasSmall || !this.wasMoved) this.fit()
    this.refresh()
  }

  refresh() {
    if (this.#isDue) return
    this.#isDue = true
    requestAnimationFrame(now => {
      this.#isDue = false
      if (this.view.width !== 1) this.draw(now)
    })
  }

  /** GeoJSON to draw under the devices. */
  takeStreets(collection) {
    this.streets.take(collection)
    this.refresh()
  }

  moved() {
    this.wasMoved = true
    this.refresh()
  }

  fit() {
    const places = this.places()
    this.view.fit(places)
    this.isFitted = places.length > 0
    this.wasMoved = false
    this.refresh()
  }

  /** A place of the unit square in the middle, with a few streets around it. */
  centreAt(x, y) {
    this.view.x = x
    this.view.y = y
    const streets = 1 / (4_000 * mercator.perMetre(mercator.latitude(y))) * Math.min(this.view.width, this.view.height)
    this.view.scale = Math.max(this.view.scale, streets)
    this.moved()
  }

  setHovering(isHovering) { this.canvas.classList.toggle('over-device', isHovering) }

  clear() {
    this.context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    this.context.fillStyle = this.colors.map
    this.context.fillRect(0, 0, this.view.width, this.view.height)
  }

  /** Around the mark of a chosen device, above all marks; names after it are bold. */
  circle(left, top) {
    const { context } = this.marks
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    context.strokeStyle = this.colors.accent
    context.lineWidth = 2
    context.beginPath()
    context.arc(left, top, 12, 0, 2 * Math.PI)
    context.stroke()
    context.font = this.colors.nameFont
  }

  /** The name of a chosen device beside its circle: where it covers no other mark, else on the right. */
  writeChosen(name, left, top, others) {
    const { context } = this.marks
    const [gap, width] = [15, context.measureText(name).width]
    const places = [[left + gap, top], [left - gap - width, top], [left - width / 2, top + gap + 7], [left - width / 2, top - gap - 7]]
      .filter(([start, middle]) => start > 0 && start + width < this.view.width && middle > 8 && middle < this.view.height - 8)
    const isFree = ([start, middle]) => !others.some(([across, down]) => across > start - 8 && across < start + width + 8 && down > middle - 15 && down < middle + 15)
    this.write(context, name, ...places.find(isFree) ?? places[0] ?? [left + gap, top])
  }

  write(context, text, left, top) {
    context.textBaseline = 'middle'
    context.strokeStyle = this.colors.map
    context.lineWidth = 3
    context.lineJoin = 'round'
    context.strokeText(text, left, top)
    context.fillStyle = this.colors.text
    context.fillText(text, left, top)
  }
}
