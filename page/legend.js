// The legend is the filter: what is switched off is neither on the map nor in the list.

import { byID, element, replaceText } from './dom.js'
import { count } from './format.js'
import { states } from './states.js'

const names = states.map(({ name }) => name)

export class Legend {
  /** By state: `{ node, toggle, solo, number }`. */
  #items = new Map()
  #filter

  constructor(filter) {
    this.#filter = filter
    byID('legend').append(...states.map(({ name, says }) => {
      const number = element('b', {}, '–')
      const toggle = element('button', { type: 'button', class: 'legend-item', title: `${says}; with a double click only these`, 'data-state': name },
        element('span', { class: 'mark', 'data-state': name }), element('span', {}, name), number)
      const solo = element('button', { type: 'button', class: 'solo', 'aria-label': `Only ${name}`, title: `Only ${name}`, 'data-state': name }, 'only')
      toggle.addEventListener('click', ({ detail }) => detail > 1 ? filter.only(name, names) : filter.toggle(name))
      solo.addEventListener('click', () => filter.only(name, names))
      this.#items.set(name, { toggle, solo, number })
      return element('div', { class: 'legend-pair' }, toggle, solo)
    }))
    filter.addEventListener('change', () => this.#show())
    this.#show()
  }

  #show() {
    const { hidden } = this.#filter
    for (const [name, { toggle, solo }] of this.#items) {
      toggle.setAttribute('aria-pressed', !hidden.has(name))
      const isAlone = !hidden.has(name) && hidden.size === names.length - 1
      solo.setAttribute('aria-pressed', isAlone)
      const text = isAlone ? 'all' : 'only'
      replaceText(solo, text)
      solo.setAttribute('aria-label', isAlone ? 'All states' : `Only ${name}`)
      solo.title = isAlone ? 'All states' : `Only ${name}`
    }
  }

  /** By the names of the states. */
  update(counts) {
    for (const [name, { number }] of this.#items) replaceText(number, count(counts[name]))
  }
}
