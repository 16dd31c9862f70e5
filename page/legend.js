// The legend is the filter: what is switched off is neither on the map nor in the list.

import { byID, element, replaceText } from './dom.js'
import { count } from './format.js'
import { states } from './states.js'

export class Legend {
  #counts = new Map()

  constructor(hidden, changed) {
    byID('legend').append(...states.map(({ name, says }) => {
      const number = element('b', {}, '0')
      this.#counts.set(name, number)
      const toggle = element('button', { type: 'button', class: 'legend-item', 'aria-pressed': 'true', title: says, 'data-state': name },
        element('span', { class: 'mark', 'data-state': name }), element('span', {}, name), number)
      toggle.addEventListener('click', () => {
        if (!hidden.delete(name)) hidden.add(name)
        toggle.setAttribute('aria-pressed', !hidden.has(name))
        changed()
      })
      return toggle
    }))
  }

  update(counts) {
    for (const [name, number] of this.#counts) replaceText(number, count(counts[name]))
  }
}
