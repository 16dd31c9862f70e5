// Tabs of the side panel and of what stands below the map and, on a phone, the views of the page (WAI-ARIA: arrow keys choose
// among tabs).

import { byID } from './dom.js'

/** Whose tab has this name and whose panel is that, by the names of the tabs. */
export class Tabs extends EventTarget {
  current
  #names
  #idOf
  #show

  /** `show(name, isOpen)` shows or hides a panel. */
  constructor(names, idOf, show) {
    super()
    this.#names = names
    this.#idOf = idOf
    this.#show = show
    this.current = names[0]
    for (const [index, name] of names.entries()) {
      const tab = byID(idOf(name))
      tab.addEventListener('click', () => this.open(name))
      tab.addEventListener('keydown', event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (!step) return
        const next = names[(index + step + names.length) % names.length]
        this.open(next)
        byID(idOf(next)).focus()
      })
    }
  }

  open(name) {
    if (!this.#names.includes(name)) return
    this.current = name
    for (const other of this.#names) {
      const tab = byID(this.#idOf(other))
      tab.setAttribute('aria-selected', other === name)
      tab.tabIndex = other === name ? 0 : -1
      this.#show(other, other === name)
    }
    this.dispatchEvent(new CustomEvent('open', { detail: name }))
  }
}

const viewNames = () => [...document.querySelectorAll('.views button')].map(({ dataset }) => dataset.view)

/** What a narrow screen shows; a wide one shows everything. */
export function openView(name) {
  if (!viewNames().includes(name)) return
  document.body.dataset.view = name
  for (const button of document.querySelectorAll('.views button')) button.setAttribute('aria-pressed', button.dataset.view === name)
}

/** `opened(name)` is told what the user has chosen. */
export function startViews(opened) {
  for (const button of document.querySelectorAll('.views button')) {
    button.addEventListener('click', () => {
      openView(button.dataset.view)
      opened(button.dataset.view)
    })
  }
}
