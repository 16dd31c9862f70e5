// Drawing an area on the map, with the pointer or with keys.

import { byID, replaceText } from '../dom.js'
import * as mercator from '../mercator.js'
import { openView } from './tabs.js'

export class Drawing {
  #map
  #resolve = null

  constructor(map) {
    this.#map = map
    byID('drawing-corner').addEventListener('click', () => map.addCorner())
    byID('drawing-undo').addEventListener('click', () => map.undoCorner())
    byID('drawing-done').addEventListener('click', () => this.#end(true))
    byID('drawing-cancel').addEventListener('click', () => this.#end(false))
    map.addEventListener('corners', () => this.#tell())
    map.addEventListener('cancel', () => this.#end(false))
  }

  /** Promises the corners as `[latitude, longitude]`, or null when the user gives up. */
  draw() {
    this.#end(false)
    openView('map')
    this.#map.beginArea()
    byID('drawing').hidden = false
    this.#tell()
    byID('map').focus()
    return new Promise(resolve => { this.#resolve = resolve })
  }

  #tell() {
    const count = this.#map.corners.length
    replaceText(byID('drawing-says'), count === 0
      ? 'Click the corners of the area, or move the map and press Enter.'
      : count < 3 ? `${count} of at least 3 corners` : `${count} corners`)
    byID('drawing-done').disabled = count < 3
    byID('drawing-undo').disabled = count === 0
  }

  #end(isDone) {
    if (!this.#resolve) return
    const corners = this.#map.endArea().map(([x, y]) => [round(mercator.latitude(y)), round(mercator.longitude(x))])
    byID('drawing').hidden = true
    this.#resolve(isDone ? corners : null)
    this.#resolve = null
  }

  /** Such corners as places on the unit square. */
  project(corners) { return corners.map(([latitude, longitude]) => [mercator.x(longitude), mercator.y(latitude)]) }
}

/** A metre is close enough. */
const round = degrees => Math.round(degrees * 1e5) / 1e5
