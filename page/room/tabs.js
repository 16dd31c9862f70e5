// Tabs of the side panel and, on a narrow screen, the views of the page (WAI-ARIA: arrow keys choose among tabs).

import { byID } from '../dom.js'

const names = ['phone', 'errors', 'fleets', 'log']

export class Tabs extends EventTarget {
  current = 'phone'

  constructor() {
    super()
    for (const [index, name] of names.entries()) {
      const tab = byID(`tab-${name}`)
      tab.addEventListener('click', () => this.open(name))
      tab.addEventListener('keydown', event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (!step) return
        const next = names[(index + step + names.length) % names.length]
        this.open(next)
        byID(`tab-${next}`).focus()
      })
    }
    for (const view of document.querySelectorAll('.views button')) view.addEventListener('click', () => openView(view.dataset.view))
  }

  open(name) {
    if (!names.includes(name)) return
    this.current = name
    for (const other of names) {
      byID(`tab-${other}`).setAttribute('aria-selected', other === name)
      byID(`tab-${other}`).tabIndex = other === name ? 0 : -1
      byID(`panel-${other}`).hidden = other !== name
    }
    this.dispatchEvent(new Event('open'))
  }
}

/** What a narrow screen shows; a wide one shows everything. */
export function openView(name) {
  document.body.dataset.view = name
  for (const view of document.querySelectorAll('.views button')) view.setAttribute('aria-pressed', view.dataset.view === name)
}
