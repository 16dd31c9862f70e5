// Errors by name: what devices got other than 2xx, and the faults they met.

import { get, Silence } from './api.js'
import { arrange, byID, element, replaceText } from './dom.js'
import { count, time } from './format.js'
import { statusElement } from './requests.js'

/** What runs share in a name. `share` is that of the requests. */
export function together(errors) {
  const names = new Map()
  for (const error of errors) {
    const key = [error.status, error.fault ?? '', error.code ?? ''].join('\n')
    const known = names.get(key)
    if (!known) {
      names.set(key, { ...error, key })
      continue
    }
    known.count += error.count
    if (error.firstAt < known.firstAt) known.firstAt = error.firstAt
    if (error.lastAt > known.lastAt) [known.lastAt, known.device, known.run] = [error.lastAt, error.device, error.run]
  }
  return [...names.values()].sort((one, other) => other.count - one.count || one.status - other.status)
}

export class ErrorTable extends EventTarget {
  #filter
  #body = element('tbody', {})
  #table = element('table', { class: 'errors-table' },
    element('thead', {}, element('tr', {}, ...['status', 'error', 'count', 'share', 'first', 'last', 'last device'].map(name => element('th', { scope: 'col' }, name)))), this.#body)
  #rows = new Map()

  constructor(filter) {
    super()
    this.#filter = filter
    byID('errors').append(this.#table)
  }

  async load() {
    const query = this.#filter.run === null ? {} : { run: this.#filter.run }
    try {
      const [{ errors }, { runs }] = await Promise.all([get('errors', query), get('runs', query)])
      this.#show(together(errors), runs.reduce((sum, { requests }) => sum + requests, 0))
    } catch (error) {
      if (!(error instanceof Silence)) replaceText(byID('errors-count'), error.message)
    }
  }

  #show(errors, requests) {
    const sum = errors.reduce((sum, error) => sum + error.count, 0)
    replaceText(byID('errors-count'), errors.length === 0 ? 'No request has failed.'
      : `${count(sum)} of ${count(Math.max(sum, requests))} requests failed or were hit by a fault`)
    byID('errors').hidden = errors.length === 0
    const rows = new Map(errors.map(error => {
      const row = this.#rows.get(error.key) ?? this.#row(error)
      row.update(error, requests)
      return [error.key, row]
    }))
    this.#rows = rows
    arrange(this.#body, [...rows.values()].map(({ node }) => node))
  }

  #row(error) {
    const name = element('button', { type: 'button', class: 'link-button', title: 'Show these requests' },
      [error.fault ? `fault ${error.fault}` : error.code ?? '', error.message].filter(text => text !== '').join(': ') || `status ${error.status}`)
    name.addEventListener('click', () => this.dispatchEvent(new CustomEvent('choose', { detail: error })))
    const cells = Array.from({ length: 5 }, () => element('td', {}))
    const node = element('tr', {}, element('td', {}, statusElement(error.status)), element('td', { class: 'errors-name' }, name), ...cells)
    const update = (error, requests) => {
      const share = error.count / Math.max(error.count, requests) * 100
      const texts = [count(error.count), `${share < 10 ? share.toFixed(1) : Math.round(share)} %`, time(error.firstAt), time(error.lastAt), error.device]
      texts.forEach((text, index) => replaceText(cells[index], text))
    }
    return { node, update }
  }
}
