// Tabs of the side panel and, on a phone, the views of the page (WAI-ARIA: arrow keys choose among tabs).

import { byID } from './dom.js'

const names = ['device', 'faults', 'tokens', 'quarantine']

export class Tabs extends EventTarget {
  current = 'device'

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
  }

  open(name) {
    this.current = name
    for (const other of names) {
      const tab = byID(`tab-${other}`)
      tab.setAttribute('aria-selected', other === name)
      tab.tabIndex = other === name ? 0 : -1
      byID(`panel-${other}`).hidden = other !== name
    }
    this.dispatchEvent(new CustomEvent('open', { detail: name }))
  }
}

/** What a narrow screen shows; a wide one shows everything. */
export function openView(name) {
  document.body.dataset.view = name
  for (const button of document.querySelectorAll('.views button')) button.setAttribute('aria-pressed', button.dataset.view === name)
}

export function startViews() {
  for (const button of document.querySelectorAll('.views button')) button.addEventListener('click', () => openView(button.dataset.view))
}
