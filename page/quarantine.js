// Records that could not be understood and were put aside, with the reason.

import { get, remove, Silence } from './api.js'
import { arrange, button, byID, element, field, option, replaceText } from './dom.js'
import { count, pretty, time } from './format.js'

const shown = 50

export class QuarantinePanel {
  #reason = element('select', { name: 'reason' }, option('', 'any reason'))
  #records = element('div', { class: 'cards', role: 'list', 'aria-label': 'Records' })
  /** About the list; it goes when the list can be read again. */
  #problem = element('p', { class: 'said problem', role: 'alert' })
  /** About what was to be deleted; it stays until something else is. */
  #said = element('p', { class: 'said problem', role: 'alert' })
  #none = element('p', { class: 'empty' }, 'Nothing is quarantined.')
  #more = element('p', { class: 'quiet' }, `The latest ${shown} are shown.`)
  #clear = button('Delete all', () => this.#deleteAll(), { class: 'danger', disabled: true })

  constructor() {
    this.#reason.addEventListener('change', () => this.load())
    byID('panel-quarantine').append(
      element('p', { class: 'lead' }, 'Records that the server could not understand. Their batches were acknowledged, so that no device resends them forever.'),
      element('div', { class: 'row' }, field('Reason', this.#reason), this.#clear), this.#problem, this.#said, this.#records)
  }

  /** Only how many there are. */
  async loadCounts() {
    const { records, reasons } = await get('quarantine/reasons')
    const badge = byID('badge-quarantine')
    badge.hidden = records === 0
    replaceText(badge, count(records))
    const known = new Map([...this.#reason.options].map(node => [node.value, node]))
    arrange(this.#reason, [{ reason: '', records }, ...reasons].map(({ reason, records }) => {
      const node = known.get(reason) ?? option(reason)
      replaceText(node, `${reason || 'any reason'} (${count(records)})`)
      return node
    }))
    this.#clear.disabled = records === 0
  }

  async load() {
    try {
      await this.loadCounts()
      const { records, next } = await get('quarantine', { reason: this.#reason.value, limit: shown })
      const known = new Map([...this.#records.children].map(node => [node.dataset.record, node]))
      const cards = records.map(record => known.get(String(record.id)) ?? this.#card(record))
      if (next) cards.push(this.#more)
      arrange(this.#records, cards.length > 0 ? cards : [this.#none])
      replaceText(this.#problem, '')
    } catch (error) {
      if (!(error instanceof Silence)) replaceText(this.#problem, error.message)
    }
  }

  #card(record) {
    return element('details', { class: 'card', role: 'listitem', 'data-record': record.id },
      element('summary', {}, element('strong', {}, record.key ? `${record.reason}: ${record.key}` : record.reason),
        element('span', { class: 'quiet' }, ` ${record.device} · ${time(record.receivedAt)}`)),
      element('pre', { tabindex: 0 }, pretty(record.record)),
      element('div', { class: 'row end' }, button('Delete', () => this.#delete(`quarantine/${record.id}`), { 'aria-label': `Delete record ${record.id}` })))
  }

  async #deleteAll() {
    const what = this.#reason.value ? `all records with the reason ${this.#reason.value}` : 'all quarantined records'
    if (confirm(`Delete ${what}?`)) await this.#delete('quarantine', { reason: this.#reason.value })
  }

  async #delete(path, query) {
    try {
      await remove(path, query)
      replaceText(this.#said, '')
    } catch (error) {
      return replaceText(this.#said, error.message)
    }
    await this.load()
  }
}
