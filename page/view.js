// What part of the world the map shows: a centre on the unit square and how many pixels the whole square has.

import * as mercator from './mercator.js'

const scaleMin = 256
const scaleMax = 256 * 2 ** 21

export class View {
  x = 0.5
  y = 0.45
  scale = 512
  width = 1
  height = 1

  resize(width, height) {
    this.width = width
    this.height = height
  }

  copy() { return Object.assign(new View(), this) }

  equals(other) {
    return other && this.x === other.x && this.y === other.y && this.scale === other.scale
      && this.width === other.width && this.height === other.height
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2]
  }

  toWorld(left, top) {
    return [(left - this.width / 2) / this.scale + this.x, (top - this.height / 2) / this.scale + this.y]
  }

  pan(right, down) {
    this.x = clamp(this.x - right / this.scale, 0, 1)
    this.y = clamp(this.y - down / this.scale, 0, 1)
  }

  /** Zooms so that what is under the point stays there. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.toWorld(left, top)
    this.scale = clamp(this.scale * factor, scaleMin, scaleMax)
    this.x = clamp(x - (left - this.width / 2) / this.scale, 0, 1)
    this.y = clamp(y - (top - this.height / 2) / this.scale, 0, 1)
  }

  /** Shows all of the places, with a margin, and one place no closer than a few streets. */
  fit(places) {
    if (places.length === 0) return
    const [west, east] = spread(places.map(([x]) => x))
    const [north, south] = spread(places.map(([, y]) => y))
    this.x = (west + east) / 2
    this.y = (north + south) / 2
    const room = 0.82
    const closest = 1 / (1_500 * mercator.perMetre(mercator.latitude(this.y)))
    this.scale = clamp(
      Math.min(this.width * room / Math.max(east - west, 1e-12), this.height * room / Math.max(south - north, 1e-12)),
      scaleMin, Math.min(scaleMax, closest * Math.min(this.width, this.height)))
  }

  shows(x, y) {
    const [left, top] = this.toScreen(x, y)
    return left >= 0 && top >= 0 && left <= this.width && top <= this.height
  }

  /** On the way from one view to another; the share goes from 0 to 1. */
  between(one, other, share) {
    this.x = one.x + (other.x - one.x) * share
    this.y = one.y + (other.y - one.y) * share
    this.scale = one.scale * (other.scale / one.scale) ** share
  }

  /** Of the screen, as west, north, east, south on the unit square. */
  get bounds() { return [...this.toWorld(0, 0), ...this.toWorld(this.width, this.height)] }
}

function spread(values) {
  let [least, most] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}

const clamp = (value, least, most) => Math.min(most, Math.max(least, value))
