// What the server was given to draw under the devices: the streets and tunnels of a simulated city, or anybody's GeoJSON.

import * as mercator from './mercator.js'

// Paths are kept in pieces of some sixty centimetres around their middle: a canvas counts in floats, for which the unit square
// is too large to tell houses apart.
const unitsAcross = 2 ** 26
const kinds = {
  street: { metres: 8, least: 0.75, most: 16, closest: 0.04 },
  artery: { metres: 15, least: 1.5, most: 30 },
  line: { metres: 0, least: 1.5, most: 1.5 },
}
const labels = { tunnel: 'tunnel', 'dead-zone': 'no signal' }
const labelRoom = 12

export class Streets {
  #middle = [0.5, 0.5]
  #lines = new Map()
  #areas = new Map()
  #signs = []
  #points = []

  get isEmpty() { return this.#lines.size + this.#areas.size + this.#points.length === 0 }

  /** A FeatureCollection, as the server has checked it. */
  take({ features }) {
    const shapes = features.filter(({ geometry }) => geometry).flatMap(shapesOf)
    this.#middle = middleOf(shapes)
    this.#lines = new Map()
    this.#areas = new Map()
    this.#signs = []
    this.#points = []
    for (const { form, kind, name, places, isHole } of shapes) {
      if (form === 'point') this.#points.push({ place: places[0], name })
      else if (form === 'line') this.#append(this.#lines, Object.hasOwn(kinds, kind) ? kind : 'line', places)
      else {
        this.#append(this.#areas, Object.hasOwn(labels, kind) ? kind : 'area', places, true)
        if (!isHole) this.#signs.push({ ...boxOf(places), name: name ?? labels[kind] ?? '' })
      }
    }
  }

  #append(paths, kind, places, isClosed = false) {
    if (!paths.has(kind)) paths.set(kind, new Path2D())
    const path = paths.get(kind)
    places.forEach(([x, y], index) => {
      const place = [(x - this.#middle[0]) * unitsAcross, (y - this.#middle[1]) * unitsAcross]
      if (index === 0) path.moveTo(...place)
      else path.lineTo(...place)
    })
    if (isClosed) path.closePath()
  }

  draw(context, view, colors) {
    if (this.isEmpty) return
    const scale = view.scale / unitsAcross
    const [left, top] = view.toScreen(...this.#middle)
    const perMetre = mercator.perMetre(mercator.latitude(view.y)) * view.scale
    context.save()
    context.translate(left, top)
    context.scale(scale, scale)
    for (const [kind, { metres, least, most, closest = 0 }] of Object.entries(kinds)) {
      const path = this.#lines.get(kind)
      if (!path || perMetre < closest) continue
      context.strokeStyle = colors[kind]
      context.lineWidth = Math.min(most, Math.max(least, metres * perMetre)) / scale
      context.stroke(path)
    }
    for (const [kind, path] of this.#areas) {
      context.fillStyle = colors[kind]
      context.fill(path)
    }
    context.restore()
    this.#drawSigns(context, view, colors)
  }

  #drawSigns(context, view, colors) {
    context.font = colors.smallFont
    context.fillStyle = colors.muted
    context.textBaseline = 'middle'
    for (const { west, north, east, south, name } of this.#signs) {
      const width = context.measureText(name).width
      const [left, top] = view.toScreen((west + east) / 2, (north + south) / 2)
      const isRoomy = (east - west) * view.scale > width + labelRoom && (south - north) * view.scale > labelRoom
      if (isRoomy) context.fillText(name, left - width / 2, top)
    }
    for (const { place, name } of this.#points) {
      const [left, top] = view.toScreen(...place)
      context.beginPath()
      context.arc(left, top, 3, 0, 2 * Math.PI)
      context.fill()
      if (name) context.fillText(name, left + 6, top)
    }
    context.textBaseline = 'alphabetic'
  }
}

function shapesOf({ geometry: { type, coordinates }, properties }) {
  const shape = (form, positions) => ({
    form, kind: properties?.kind, name: properties?.name === undefined ? undefined : String(properties.name),
    places: positions.map(([longitude, latitude]) => [mercator.x(longitude), mercator.y(latitude)]),
  })
  // The holes of an area run the other way round (RFC 7946 §3.1.6), which leaves them unfilled; its name is written once.
  const areas = rings => rings.map((ring, index) => ({ ...shape('area', ring), isHole: index > 0 }))
  switch (type) {
    case 'Point': return [shape('point', [coordinates])]
    case 'MultiPoint': return coordinates.map(position => shape('point', [position]))
    case 'LineString': return [shape('line', coordinates)]
    case 'MultiLineString': return coordinates.map(line => shape('line', line))
    case 'Polygon': return areas(coordinates)
    default: return coordinates.flatMap(areas)
  }
}

function boxOf(places) {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of places) {
    if (x < west) west = x
    if (x > east) east = x
    if (y < north) north = y
    if (y > south) south = y
  }
  return { west, north, east, south }
}

function middleOf(shapes) {
  const { west, north, east, south } = boxOf(shapes.flatMap(({ places }) => places))
  return west <= east ? [(west + east) / 2, (north + south) / 2] : [0.5, 0.5]
}
