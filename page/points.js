// Where a device has been: its trail on the map, stops and trips, the replay of a drive, and the records as files.

import { download, get, segment, Silence } from './api.js'
import { arrange, button, element, field, option, replaceText } from './dom.js'
import { count, distance, duration, position, pretty, speed, time } from './format.js'
import * as mercator from './mercator.js'
import { Replay } from './replay.js'
import { stopsAndTrips } from './trips.js'

const minute = 60_000
const periods = { 15: 'last 15 min', 60: 'last hour', 360: 'last 6 hours', 1440: 'last day', 10080: 'last week', all: 'everything' }
const pageSize = 1_000
const placesMax = 20_000
const listed = 50
/** A long stretch is read again no oftener. */
const restMilliseconds = 10_000
const formats = { gpx: 'GPX', geojson: 'GeoJSON', csv: 'CSV', ndjson: 'NDJSON' }

const placeOf = ({ geometry: { coordinates: [longitude, latitude] }, properties: { uuid, recordedAt, speed, event, heading } }) =>
  ({ uuid, at: Date.parse(recordedAt), latitude, longitude, speed, heading, event: event ?? '' })

export class Points {
  /** A section of the panel for its stretch of the device's way; another for the records. */
  body
  #device
  #map
  #period = element('select', { name: 'period', 'aria-label': 'Period' }, ...Object.entries(periods).map(([value, text]) => option(value, text)))
  #said = element('p', { class: 'quiet', role: 'status' })
  #parts = element('ol', { class: 'trips' })
  #record = element('div', { class: 'record', role: 'region', 'aria-label': 'Record' })
  #rows = element('tbody', {})
  #replay
  #places = []
  #told = ''
  #readAt = 0
  /** The uuid of the record that is shown, or comes. */
  #wanted

  constructor(device, map, reload) {
    this.#device = device
    this.#map = map
    this.#replay = new Replay(map)
    this.#period.addEventListener('change', () => {
      this.#readAt = 0
      reload()
    })
    const files = Object.entries(formats).map(([format, name]) =>
      button(name, () => this.#save(format), { class: 'small', 'aria-label': `Download as ${name}` }))
    this.body = element('div', {},
      element('div', { class: 'row' }, field('Period', this.#period), element('div', { class: 'row downloads', role: 'group', 'aria-label': 'Download' }, ...files)),
      this.#said, this.#replay.node, element('h4', {}, 'Stops and trips'), this.#parts,
      element('h4', {}, 'Record'), this.#record,
      element('table', {}, element('thead', {}, element('tr', {}, ...['recorded', 'position', 'speed', 'event'].map(text => element('th', { scope: 'col' }, text)))), this.#rows))
    this.#record.append(element('p', { class: 'quiet' }, 'Click on a point of the trail, or on a row below.'))
  }

  get #path() { return `devices/${segment(this.#device.name)}/locations` }

  get #query() {
    const { run, recordedAt } = this.#device
    return this.#period.value === 'all' ? { run } : { run, from: recordedAt - Number(this.#period.value) * minute, to: recordedAt + 1 }
  }

  async load(isOpen, isWanted) {
    if (!this.#device.recordedAt) return replaceText(this.#said, 'It has sent no position.')
    const isLong = this.#period.value !== '15'
    if (isLong && Date.now() - this.#readAt < restMilliseconds) return
    const places = []
    let cursor
    try {
      do {
        const answer = await get(this.#path, { ...this.#query, format: 'geojson', limit: pageSize, cursor })
        if (!isWanted()) return
        places.push(...answer.features.filter(({ geometry }) => geometry).map(placeOf))
        cursor = answer.next ?? undefined
      } while (cursor && places.length < placesMax)
    } catch (error) {
      if (!(error instanceof Silence)) replaceText(this.#said, error.message)
      return
    }
    this.#readAt = Date.now()
    this.#take(places, cursor !== undefined)
    if (isOpen) this.#show()
  }

  #take(places, isCut) {
    this.#places = places
    this.#map.history = places.map(({ latitude, longitude }) => [mercator.x(longitude), mercator.y(latitude)])
    this.#map.refresh()
    const parts = stopsAndTrips(places)
    const metres = parts.reduce((sum, part) => sum + part.metres, 0)
    const trips = parts.filter(({ kind }) => kind === 'trip').length
    replaceText(this.#said, places.length === 0 ? 'No position in this period.'
      : `${count(places.length)} positions${isCut ? ', the first of more' : ''} · ${distance(metres)} in ${trips === 1 ? '1 trip' : `${trips} trips`}`)
    const told = JSON.stringify(parts)
    if (told !== this.#told) {
      this.#told = told
      this.#parts.replaceChildren(...(parts.length > 0 ? parts.map(part => this.#part(part)) : [element('li', { class: 'quiet' }, 'None in this period.')]))
    }
  }

  /** What was open before shows what is there now. */
  #show() {
    this.#replay.take(this.#places)
    const known = new Map([...this.#rows.children].map(node => [node.dataset.uuid, node]))
    arrange(this.#rows, this.#places.slice(-listed).reverse().map(place => known.get(place.uuid) ?? this.#row(place)))
  }

  #row(place) {
    const show = button(time(place.at), () => this.showRecord(place), { class: 'link-button', 'aria-label': `Record of ${time(place.at)}` })
    return element('tr', { 'data-uuid': place.uuid }, element('td', {}, show),
      ...[position(place.latitude, place.longitude), speed(place.speed), place.event].map(text => element('td', {}, text)))
  }

  #part({ kind, first, last, from, to, metres }) {
    const took = duration(to - from)
    const text = kind === 'stop' ? `stop of ${took}` : `trip of ${distance(metres)} in ${took}`
    const until = kind === 'stop' && last === this.#places.length - 1 ? 'until now' : time(to)
    return element('li', { 'data-part': kind },
      button(text, () => this.#go(kind, first, last), { class: 'link-button' }),
      element('span', { class: 'quiet' }, `${time(from)} – ${until}`))
  }

  #go(kind, first, last) {
    const places = this.#map.history.slice(first, last + 1)
    this.#map.show(places)
    if (kind === 'trip') this.#replay.play(this.#places.slice(first, last + 1))
    else this.showRecord(this.#places[first])
  }

  /** A point of the trail, by its place in it. */
  showPoint(index) { if (this.#places[index]) this.showRecord(this.#places[index]) }

  async showRecord({ uuid, at, latitude, longitude }) {
    this.#map.pointed = { x: mercator.x(longitude), y: mercator.y(latitude) }
    this.#map.refresh()
    this.#wanted = uuid
    let shown
    try {
      const { locations } = await get(this.#path, { run: this.#device.run, from: at, to: at + 1 })
      const found = locations.find(location => location.uuid === uuid)
      shown = found
        ? element('div', {}, element('p', { class: 'quiet' }, `recorded ${time(at)}, received ${time(found.receivedAt)}`),
          element('pre', { tabindex: 0 }, pretty(JSON.stringify(found.record))))
        : element('p', { class: 'quiet' }, 'The record is not on the server any more.')
    } catch (error) {
      shown = element('p', { class: 'problem' }, error.message)
    }
    if (this.#wanted !== uuid) return
    this.#record.replaceChildren(shown)
    this.#record.scrollIntoView({ block: 'nearest' })
  }

  async #save(format) {
    try {
      await download(this.#path, { ...this.#query, format }, `${this.#device.name.replace(/[^\w.-]+/g, '_')}.${format}`)
    } catch (error) {
      replaceText(this.#said, error.message)
    }
  }

  end() { this.#replay.end() }
}
