// What stands beside the map in words: errors by name, the fleets, and the acts with what became of them.

import { arrange, byID, element, replaceText } from '../dom.js'
import { count } from '../format.js'

export const milliseconds = value => value === null || value === undefined ? '–' : value < 10 ? `${value.toFixed(1)} ms` : value < 1_000 ? `${Math.round(value)} ms` : `${Number((value / 1_000).toFixed(value < 10_000 ? 2 : 1))} s`

/** A time of the run, from its start: 1:02:03. */
export function runTime(seconds) {
  const whole = Math.max(0, Math.floor(seconds))
  const two = number => String(number).padStart(2, '0')
  return `${Math.floor(whole / 3_600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

/** Rows that stay where they are while their words change, so that a reader keeps the place. */
class Table {
  #rows = new Map()
  #body = element('tbody')
  #table
  #none

  constructor(panel, caption, heads, none) {
    this.#none = element('p', { class: 'empty' }, none)
    this.#table = element('table', { hidden: true },
      element('caption', { class: 'hidden' }, caption),
      element('thead', {}, element('tr', {}, ...heads.map(head => element('th', { scope: 'col' }, head)))), this.#body)
    panel.append(element('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': caption }, this.#table), this.#none)
  }

  /** `rows`: `{ key, cells }`; a cell is a text or a node that is made once. */
  show(rows) {
    this.#table.hidden = rows.length === 0
    this.#none.hidden = rows.length > 0
    const keys = new Set(rows.map(({ key }) => key))
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key)
    arrange(this.#body, rows.map(({ key, cells }) => {
      let row = this.#rows.get(key)
      if (!row) this.#rows.set(key, row = element('tr', {}, ...cells.map((cell, index) => element(index === 0 ? 'th' : 'td', index === 0 ? { scope: 'row' } : {}, cell))))
      cells.forEach((cell, index) => { if (typeof cell === 'string') replaceText(row.children[index], cell) })
      return row
    }))
  }
}

export class ErrorPanel {
  #table = new Table(byID('panel-errors'), 'Errors by name', ['how it ended', 'fleet', 'count', 'of all', 'first', 'last'], 'Every request was answered with 2xx so far.')
  #samples = element('div', { class: 'cards' })

  constructor() { byID('panel-errors').append(this.#samples) }

  show({ errors }) {
    const total = errors.reduce((sum, error) => sum + error.count, 0)
    this.#table.show(errors.map(error => ({
      key: [error.purpose, error.kind, error.message, error.fleet].join('\n'),
      cells: [
        `${error.purpose === 'records' ? '' : `${error.purpose}: `}${error.kind}${error.message ? `, ${error.message}` : ''}`, error.fleet,
        count(error.count), `${(error.count / total * 100).toFixed(1)} %`, runTime(error.firstAtSeconds), runTime(error.lastAtSeconds),
      ],
    })))
    this.#showSamples(errors)
  }

  #showSamples(errors) {
    if (this.#samples.childElementCount === errors.length) return
    this.#samples.replaceChildren(...errors.map(({ kind, message, fleet, sample }) => element('details', { class: 'card' },
      element('summary', {}, `The first ${kind}${message ? `, ${message}` : ''} of ${fleet}`),
      element('p', {}, `${sample.device}: ${sample.request}, ${sample.records} records`),
      sample.body ? element('pre', {}, sample.body) : element('p', { class: 'quiet' }, 'Empty body.'))))
  }
}

export class FleetPanel {
  #table = new Table(byID('panel-fleets'), 'Fleets', ['fleet', 'phones', 'running apps', 'moving', 'waiting'], 'The run has no fleet.')

  show(fleets) {
    this.#table.show(fleets.map(fleet => ({
      key: fleet.name,
      cells: [fleet.name, count(fleet.phones), count(fleet.active), count(fleet.moving), count(fleet.queue)],
    })))
  }
}

export class LogPanel {
  #list = element('ol', { class: 'act-log', reversed: true })
  #none = element('p', { class: 'empty' }, 'The run follows its scenario; no acts yet.')
  #shown = 0

  constructor() { byID('panel-log').append(element('p', { class: 'lead' }, 'Every act stands in the plan of the run. Save as scenario writes them down, and the file does the same again.'), this.#list, this.#none) }

  /** `acts` as `GET /run/v1/acts` has them, the oldest first. */
  show(acts) {
    this.#none.hidden = acts.length > 0
    for (const { number, atSeconds, says, outcome, came, reactionMilliseconds } of acts) {
      if (number <= this.#shown || outcome === 'waiting') continue
      this.#shown = number
      const effect = outcome === 'refused' ? `refused: ${came}` : `${came ? `${came}, ` : ''}after ${milliseconds(reactionMilliseconds)}`
      this.#list.prepend(element('li', { 'data-outcome': outcome },
        element('span', { class: 'act-at' }, runTime(atSeconds)), element('span', { class: 'act-says' }, says),
        element('span', { class: 'quiet' }, effect)))
    }
    // What was refused has done nothing.
    const done = acts.filter(({ outcome }) => outcome !== 'refused').length
    byID('badge-log').hidden = done === 0
    replaceText(byID('badge-log'), count(done))
  }
}
