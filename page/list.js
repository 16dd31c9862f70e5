// The list of devices: all of them can be scrolled to, those in sight have elements.

import { byID, element, replaceText } from './dom.js'
import { count, duration, speed } from './format.js'

const rowHeight = 40

export class DeviceList extends EventTarget {
  hidden = new Set()
  selected = null
  #fleet
  #box = byID('list')
  #search = byID('search')
  #space = element('div', { class: 'list-space', role: 'presentation' })
  #rows = []
  #shown = []
  #membership = -1

  constructor(fleet) {
    super()
    this.#fleet = fleet
    this.#box.append(this.#space)
    this.#search.addEventListener('input', () => this.refilter())
    this.#search.addEventListener('keydown', event => this.#steer(event))
    this.#box.addEventListener('keydown', event => this.#steer(event))
    this.#box.addEventListener('scroll', () => this.refresh(), { passive: true })
    new ResizeObserver(() => this.refresh()).observe(this.#box)
  }

  refilter() {
    const wanted = this.#search.value.trim().toLowerCase()
    this.#shown = this.#fleet.all.filter(device =>
      !this.hidden.has(device.state) && (wanted === '' || device.name.toLowerCase().includes(wanted)))
    const order = new Intl.Collator('en', { numeric: true })
    this.#shown.sort((one, other) => order.compare(one.name, other.name) || order.compare(one.run, other.run))
    this.#membership = this.#fleet.membership
    this.#space.style.height = `${this.#shown.length * rowHeight}px`
    const all = this.#fleet.all.length
    replaceText(byID('list-count'), this.#shown.length === all
      ? (all === 1 ? '1 device' : `${count(all)} devices`)
      : `${count(this.#shown.length)} of ${count(all)} devices`)
    this.refresh()
  }

  /** The states have changed, or somebody has come. */
  update() {
    if (this.#membership !== this.#fleet.membership || this.hidden.size > 0) this.refilter()
    else this.refresh()
  }

  refresh() {
    const first = Math.max(0, Math.floor(this.#box.scrollTop / rowHeight) - 2)
    const fits = Math.ceil(this.#box.clientHeight / rowHeight) + 4
    const visible = this.#shown.slice(first, first + fits)
    while (this.#rows.length < visible.length) this.#rows.push(this.#makeRow(this.#rows.length))
    this.#rows.forEach((row, index) => this.#fill(row, visible[index], first + index))
    const chosen = visible.indexOf(this.selected)
    if (chosen >= 0) this.#box.setAttribute('aria-activedescendant', this.#rows[chosen].node.id)
    else this.#box.removeAttribute('aria-activedescendant')
  }

  #makeRow(number) {
    const [name, detail] = [element('span', { class: 'row-name' }), element('span', { class: 'row-detail' })]
    const mark = element('span', { class: 'mark' })
    const node = element('div', { class: 'list-row', role: 'option', id: `device-row-${number}` }, mark, name, detail)
    const row = { node, name, detail, mark, device: null }
    node.addEventListener('click', () => row.device && this.#choose(row.device))
    this.#space.append(node)
    return row
  }

  #fill(row, device, index) {
    row.device = device ?? null
    row.node.hidden = !device
    if (!device) return
    row.node.style.transform = `translateY(${index * rowHeight}px)`
    row.node.setAttribute('aria-selected', device === this.selected)
    row.node.setAttribute('aria-setsize', this.#shown.length)
    row.node.setAttribute('aria-posinset', index + 1)
    row.mark.dataset.state = device.state
    replaceText(row.name, device.run ? `${device.run} / ${device.name}` : device.name)
    row.name.title = device.name
    const since = duration(this.#fleet.now - device.seenAt)
    replaceText(row.detail, device.state === 'moving' && device.speed >= 0 ? speed(device.speed) : `${device.state} · ${since}`)
  }

  #steer(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    const last = this.#shown.length - 1
    let index = this.#shown.indexOf(this.selected)
    if (event.key === 'Home' && event.currentTarget === this.#box) index = 0
    else if (event.key === 'End' && event.currentTarget === this.#box) index = last
    else if (event.key === 'Enter' && event.currentTarget === this.#search) index = Math.max(0, index)
    else if (step) index = Math.max(0, Math.min(last, index + step))
    else return
    event.preventDefault()
    if (this.#shown[index]) this.#choose(this.#shown[index])
  }

  #choose(device) { this.dispatchEvent(new CustomEvent('choose', { detail: device })) }

  select(device) {
    this.selected = device
    const index = this.#shown.indexOf(device)
    if (index >= 0) {
      const top = index * rowHeight
      const box = this.#box
      if (top < box.scrollTop) box.scrollTop = top
      else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
    }
    this.refresh()
  }
}
