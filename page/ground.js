// What lies under the devices: tiles where the operator named some, the graticule, the scale bar.

import * as mercator from './mercator.js'

const steps = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001]
const linesApart = 110
/** At the right edge the map's tools would stand over a label, and at the bottom the scale. */
const toolsWidth = 52
const scaleHeight = 34
const labelHeight = 12

/** `covered` is what something else covers of the upper left corner. */
export function drawGraticule(context, view, colors, covered = { width: 0, height: 0 }) {
  const [west, north, east, south] = view.bounds
  const step = steps.findLast(degrees => degrees / 360 * view.scale >= linesApart) ?? steps[0]
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)))
  context.strokeStyle = colors.grid
  context.fillStyle = colors.muted
  context.font = colors.smallFont
  context.lineWidth = 1
  const meridians = multiples(step, mercator.longitude(west), mercator.longitude(east), 180)
    .map(degrees => [degrees, Math.round(view.toScreen(mercator.x(degrees), 0)[0]) + 0.5])
  const parallels = multiples(step, mercator.latitude(south), mercator.latitude(north), 85)
    .map(degrees => [degrees, Math.round(view.toScreen(0, mercator.y(degrees))[1]) + 0.5])
  for (const [, left] of meridians) line(context, left, 0, left, view.height)
  for (const [, top] of parallels) line(context, 0, top, view.width, top)
  // No line runs through a label: those at the top give way to a parallel, those at the left stand above their own.
  const topEdge = Math.max(0, ...parallels.map(([, top]) => top).filter(top => top < labelHeight + 4))
  context.textBaseline = 'top'
  for (const [degrees, left] of meridians) {
    const text = label(degrees, 'E', 'W', decimals)
    const [from, to] = [left + 4, left + 4 + context.measureText(text).width]
    if (left > 60 && from > covered.width && to < view.width - toolsWidth) context.fillText(text, from, topEdge + 4)
  }
  context.textBaseline = 'alphabetic'
  for (const [degrees, top] of parallels) {
    if (top > topEdge + labelHeight + 12 && top > covered.height + labelHeight && top < view.height - scaleHeight) context.fillText(label(degrees, 'N', 'S', decimals), 4, top - 4)
  }
}

function multiples(step, least, most, limit) {
  const found = []
  const first = Math.ceil(Math.max(least, -limit) / step)
  const last = Math.floor(Math.min(most, limit) / step)
  for (let index = first; index <= last; index += 1) found.push(index * step)
  return found
}

function label(degrees, positive, negative, decimals) {
  const text = Math.abs(degrees).toFixed(decimals)
  return Number(text) === 0 ? '0°' : `${text}° ${degrees > 0 ? positive : negative}`
}

function line(context, fromX, fromY, toX, toY) {
  context.beginPath()
  context.moveTo(fromX, fromY)
  context.lineTo(toX, toY)
  context.stroke()
}

export function drawScale(context, view, colors) {
  const perMetre = mercator.perMetre(mercator.latitude(view.y)) * view.scale
  const longest = 120 / perMetre
  const power = 10 ** Math.floor(Math.log10(longest))
  const metres = [5, 2, 1].map(step => step * power).find(length => length <= longest)
  const width = metres * perMetre
  const [left, top] = [12, view.height - 14]
  context.strokeStyle = colors.text
  context.fillStyle = colors.text
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(left, top - 5)
  context.lineTo(left, top)
  context.lineTo(left + width, top)
  context.lineTo(left + width, top - 5)
  context.stroke()
  context.font = colors.smallFont
  context.textBaseline = 'alphabetic'
  context.fillText(metres < 1 ? `${Math.round(metres * 100)} cm` : metres < 1_000 ? `${metres} m` : `${metres / 1_000} km`, left + 4, top - 6)
}

/** Images from the one host that the server names; a handful is kept. */
export class Tiles {
  #images = new Map()
  #changed

  constructor(url, changed) {
    this.url = url
    this.#changed = changed
  }

  draw(context, view) {
    const zoom = Math.max(0, Math.min(19, Math.round(Math.log2(view.scale / 256))))
    const across = 2 ** zoom
    const size = view.scale / across
    const [west, north, east, south] = view.bounds
    for (let column = Math.floor(west * across); column <= Math.floor(east * across); column += 1) {
      for (let row = Math.floor(north * across); row <= Math.floor(south * across); row += 1) {
        if (column < 0 || row < 0 || column >= across || row >= across) continue
        const image = this.#image(zoom, column, row)
        const [left, top] = view.toScreen(column / across, row / across)
        if (image.complete && image.naturalWidth > 0) context.drawImage(image, left, top, size + 0.5, size + 0.5)
      }
    }
  }

  #image(zoom, column, row) {
    const key = `${zoom}/${column}/${row}`
    let image = this.#images.get(key)
    if (!image) {
      image = new Image()
      image.referrerPolicy = 'no-referrer'
      image.onload = this.#changed
      image.src = this.url.replace('{z}', zoom).replace('{x}', column).replace('{y}', row)
      if (this.#images.size > 400) this.#images.delete(this.#images.keys().next().value)
      this.#images.set(key, image)
    }
    return image
  }
}
