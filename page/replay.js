// The replay of a way: a slider over its time, and a mark on the map where the device was then.

import { button, element, option, replaceText } from './dom.js'
import { speed, time } from './format.js'
import * as mercator from './mercator.js'

const steps = 1_000
const frameMilliseconds = 50
const rates = [10, 60, 300, 1800]

/** Where it was, between the places before and after. Null where there is none. */
export function placeAt(places, at) {
  let [low, high] = [0, places.length - 1]
  if (high < 0) return null
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (places[middle].at <= at) low = middle
    else high = middle - 1
  }
  const [one, other] = [places[low], places[low + 1]]
  if (!other || at <= one.at) return { ...one, index: low }
  const share = (at - one.at) / (other.at - one.at)
  const latitude = one.latitude + (other.latitude - one.latitude) * share
  return { ...one, latitude, longitude: shorter(one.longitude + shorter(other.longitude - one.longitude) * share), index: low }
}

/** The same direction in at most half a turn: the way between two places at both sides of 180° crosses it. */
const shorter = degrees => Math.abs(degrees) > 180 ? degrees - Math.sign(degrees) * 360 : degrees

export class Replay {
  node
  #map
  #slider = element('input', { type: 'range', min: 0, max: steps, step: 1, value: steps, 'aria-label': 'Time of the replay', disabled: true })
  #rate = element('select', { 'aria-label': 'Speed of the replay' }, ...rates.map(rate => option(String(rate), `× ${rate}`)))
  #toggle = button('Play', () => this.#clock === null ? this.#start() : this.#pause(), { disabled: true })
  #said = element('p', { class: 'quiet' })
  #whole = button('Whole way', () => this.#leavePart(), { class: 'small', hidden: true })
  #all = []
  #places = []
  /** A part that was chosen is kept while the way grows. */
  #isPart = false
  #clock = null
  #at = null

  constructor(map) {
    this.#map = map
    this.#rate.value = '60'
    this.#slider.addEventListener('input', () => {
      this.#pause()
      this.#go(this.#from + (this.#to - this.#from) * Number(this.#slider.value) / steps)
    })
    this.node = element('div', { class: 'replay', role: 'group', 'aria-label': 'Replay' },
      element('div', { class: 'row' }, this.#toggle, this.#slider, this.#rate), element('div', { class: 'row' }, this.#said, this.#whole))
  }

  get #from() { return this.#places[0]?.at ?? 0 }
  get #to() { return this.#places.at(-1)?.at ?? 0 }

  take(places) {
    this.#all = places
    if (this.#isPart || this.#clock !== null) return
    this.#places = places
    this.#slider.disabled = this.#toggle.disabled = places.length < 2
    if (this.#at !== null) this.#go(this.#at)
  }

  /** Plays a part from its beginning. */
  play(places) {
    this.#isPart = true
    this.#whole.hidden = false
    this.#places = places
    this.#slider.disabled = this.#toggle.disabled = places.length < 2
    this.#at = this.#from
    this.#start()
  }

  #leavePart() {
    this.#pause()
    this.#isPart = false
    this.#whole.hidden = true
    this.#toggle.focus()
    this.take(this.#all)
  }

  #start() {
    if (this.#at === null || this.#at >= this.#to) this.#at = this.#from
    clearInterval(this.#clock)
    this.#clock = setInterval(() => {
      this.#go(Math.min(this.#to, this.#at + frameMilliseconds * Number(this.#rate.value)))
      if (this.#at >= this.#to) this.#pause()
    }, frameMilliseconds)
    replaceText(this.#toggle, 'Pause')
  }

  #pause() {
    clearInterval(this.#clock)
    this.#clock = null
    replaceText(this.#toggle, 'Play')
  }

  #go(at) {
    const place = placeAt(this.#places, at)
    if (!place) return
    this.#at = at
    this.#slider.value = String(Math.round((at - this.#from) / Math.max(1, this.#to - this.#from) * steps))
    const said = `${time(at)} · ${speed(place.speed)}`
    this.#slider.setAttribute('aria-valuetext', said)
    replaceText(this.#said, said)
    this.#map.replay = { x: mercator.x(place.longitude), y: mercator.y(place.latitude) }
    this.#map.refresh()
  }

  end() {
    this.#pause()
    this.#map.replay = null
  }
}
