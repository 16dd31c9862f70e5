// The map of the room: each phone where it truly is, a line to where the server believes it is, and the area that is drawn.

import { CanvasMap } from '../canvas-map.js'
import { byID } from '../dom.js'
import { drawGraticule, drawScale } from '../ground.js'
import { BehindPainting } from './behind.js'
import { conditions } from './phones.js'

const namedAtMost = 40

export class RoomMap extends CanvasMap {
  /** The number of the phone that is looked at; -1 for none. */
  selected = -1
  hovered = -1
  /** Corners on the unit square while an area is drawn; null while none is. */
  corners = null
  /** Areas that acts have set, each a list of corners on the unit square. */
  areas = []
  #phones
  #behind = new BehindPainting()
  /** What the legend covers of the upper left corner. */
  #covered = { width: 0, height: 0 }

  constructor(canvas, marksCanvas, phones) {
    super(canvas, marksCanvas, conditions.map(({ state }) => state))
    this.#phones = phones
    this.start()
    new ResizeObserver(([{ target }]) => {
      this.#covered = { width: target.offsetWidth, height: target.offsetHeight }
      this.refresh()
    }).observe(byID('legend'))
    canvas.addEventListener('keydown', event => this.#steerArea(event))
  }

  forget() { this.#behind.forget() }

  /** New places have come. Until the user takes hold of the map it shows all phones. */
  update() {
    if (this.wasMoved || this.view.width === 1) return this.refresh()
    const { x, y, count } = this.#phones
    if (!this.isFitted && count > 0) return this.fit()
    for (let index = 0; index < count; index += 1) {
      if (this.#phones.hasPlace(index) && !this.view.shows(x[index], y[index])) return this.fit()
    }
    this.refresh()
  }

  places() {
    const { x, y, count } = this.#phones
    const places = []
    for (let index = 0; index < count; index += 1) if (this.#phones.hasPlace(index)) places.push([x[index], y[index]])
    return places
  }

  centreOn(index) { if (this.#phones.hasPlace(index)) this.centreAt(this.#phones.x[index], this.#phones.y[index]) }

  // What the map's steering asks of a map; its devices are numbers here.

  deviceAt(left, top, reach = 14) {
    const { x, y, count } = this.#phones
    let [nearest, least] = [-1, reach * reach]
    for (let index = 0; index < count; index += 1) {
      const [across, down] = [(x[index] - this.view.x) * this.view.scale + this.view.width / 2 - left, (y[index] - this.view.y) * this.view.scale + this.view.height / 2 - top]
      const squared = across * across + down * down
      if (squared < least) [nearest, least] = [index, squared]
    }
    return nearest
  }

  hover(index) {
    const hovered = this.corners ? -1 : index ?? -1
    if (hovered === this.hovered) return
    this.hovered = hovered
    this.setHovering(hovered >= 0)
    this.refresh()
  }

  /** A click, or a touch with its reach. */
  clicked(left, top, reach) {
    if (this.corners === null) this.choose(this.deviceAt(left, top, reach))
    else this.addCorner(this.view.toWorld(left, top))
  }

  choose(index) {
    if (this.corners === null) this.dispatchEvent(new CustomEvent('choose', { detail: index ?? -1 }))
    else this.dispatchEvent(new Event('cancel'))
  }

  // An area, corner by corner.

  beginArea() {
    this.corners = []
    this.canvas.classList.add('is-drawing')
    this.hover(-1)
    this.refresh()
  }

  addCorner(place = [this.view.x, this.view.y]) {
    this.corners.push(place)
    this.#tell()
  }

  undoCorner() {
    this.corners.pop()
    this.#tell()
  }

  endArea() {
    const corners = this.corners
    this.corners = null
    this.canvas.classList.remove('is-drawing')
    this.refresh()
    return corners
  }

  #tell() {
    this.dispatchEvent(new Event('corners'))
    this.refresh()
  }

  #steerArea(event) {
    if (this.corners === null) return
    if (event.key === 'Enter') this.addCorner()
    else if (event.key === 'Backspace') this.undoCorner()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  draw() {
    const { view, context } = this
    if (this.isFollowing && this.selected >= 0) [view.x, view.y] = [this.#phones.x[this.selected], this.#phones.y[this.selected]]
    this.clear()
    this.streets.draw(context, view, this.colors)
    drawGraticule(context, view, this.colors, this.#covered)
    for (const area of this.areas) this.#drawArea(context, area, true)
    if (this.corners) this.#drawArea(context, this.corners, false)
    const isBusy = this.#behind.work(this.#phones, view, this.colors)
    this.#behind.draw(context, view)
    this.#drawPhones(context)
    if (isBusy) this.refresh()
    drawScale(context, view, this.colors)
  }

  #drawArea(context, corners, isSet) {
    if (corners.length === 0) return
    context.strokeStyle = context.fillStyle = this.colors.fence
    context.beginPath()
    corners.forEach((corner, index) => {
      const place = this.view.toScreen(...corner)
      if (index === 0) context.moveTo(...place)
      else context.lineTo(...place)
    })
    if (isSet || corners.length > 2) context.closePath()
    context.globalAlpha = 0.14
    context.fill()
    context.globalAlpha = 1
    context.lineWidth = 1.5
    context.setLineDash(isSet ? [] : [5, 4])
    context.stroke()
    context.setLineDash([])
    for (const corner of isSet ? [] : corners) {
      const [left, top] = this.view.toScreen(...corner)
      context.fillRect(left - 3.5, top - 3.5, 7, 7)
    }
    if (isSet) return
    // Where Enter sets the next corner.
    const [left, top] = [this.view.width / 2, this.view.height / 2]
    context.beginPath()
    for (const [across, down] of [[9, 0], [0, 9]]) {
      context.moveTo(left - across, top - down)
      context.lineTo(left + across, top + down)
    }
    context.stroke()
  }

  #drawPhones(context) {
    const { view } = this
    const { x, y, heading, condition, count } = this.#phones
    const [middleX, middleY] = [view.width / 2, view.height / 2]
    const seen = []
    for (let index = 0; index < count; index += 1) {
      const left = (x[index] - view.x) * view.scale + middleX
      const top = (y[index] - view.y) * view.scale + middleY
      if (left > -20 && top > -20 && left < view.width + 20 && top < view.height + 20) seen.push(index, left, top)
    }
    const shown = seen.length / 3
    if (shown <= namedAtMost) this.#drawNames(context, seen)
    this.marks.begin()
    const scale = this.marks.scaleFor(Math.sqrt(view.width * view.height / Math.max(1, shown)))
    const pictures = conditions.map(({ state }) => this.marks.pictures(state, scale))
    for (let place = 0; place < seen.length; place += 3) this.marks.stamp(pictures[condition[seen[place]]], heading[seen[place]], seen[place + 1], seen[place + 2])
    this.marks.end()
    for (const index of new Set([this.hovered, this.selected])) if (index >= 0 && index < count) this.#drawChosen(index, seen)
  }

  /** Where neither a mark nor another name is in the way; else not at all. */
  #drawNames(context, seen) {
    context.font = this.colors.smallFont
    const taken = []
    for (let place = 0; place < seen.length; place += 3) taken.push([seen[place + 1] - 8, seen[place + 2] - 8, seen[place + 1] + 8, seen[place + 2] + 8])
    for (let place = 0; place < seen.length; place += 3) {
      const [index, left, top] = [seen[place], seen[place + 1] + 11, seen[place + 2]]
      if (index === this.selected || index === this.hovered) continue
      const box = [left, top - 7, left + context.measureText(this.#phones.names[index] ?? '').width, top + 7]
      if (box[2] > this.view.width || taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue
      taken.push(box)
      this.write(context, this.#phones.names[index] ?? '', left, top)
    }
  }

  #drawChosen(index, seen) {
    const [left, top] = this.view.toScreen(this.#phones.x[index], this.#phones.y[index])
    const others = []
    for (let place = 0; place < seen.length; place += 3) if (seen[place] !== index) others.push([seen[place + 1], seen[place + 2]])
    this.circle(left, top)
    this.writeChosen(this.#phones.names[index] ?? '', left, top, others)
  }
}
