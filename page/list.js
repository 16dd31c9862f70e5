// The list of devices: all of them can be scrolled to, those in sight have elements.

import { byID, element, option, replaceText } from './dom.js'
import { count, duration, speed } from './format.js'
import { byName, groupings, groupsOf, orders } from './order.js'
import { behind } from './states.js'

const rowHeight = 40

export class DeviceList extends EventTarget {
  selected = null
  order = 'name'
  grouping = 'none'
  #fleet
  #filter
  #box = byID('list')
  #search = byID('search')
  #order = byID('list-order')
  #grouping = byID('list-groups')
  #space = element('div', { class: 'list-space', role: 'presentation' })
  #empty = byID('list-empty')
  #rows = []
  /** Devices, and before those of a group an object with `devices`. */
  #shown = []
  /** Names of groups whose devices are not shown. */
  #closed = new Set()
  /** All devices in the order of their names. */
  #named = []
  #membership = -1

  constructor(fleet, filter) {
    super()
    this.#fleet = fleet
    this.#filter = filter
    this.#box.append(this.#space)
    for (const [select, choices, name] of [[this.#order, orders, 'order'], [this.#grouping, groupings, 'grouping']]) {
      select.append(...Object.entries(choices).map(([value, { says }]) => option(value, says)))
      select.addEventListener('change', () => {
        this[name] = select.value
        this.refilter()
        this.dispatchEvent(new Event('arrange'))
      })
    }
    filter.addEventListener('change', () => {
      if (this.#search.value.trim() !== filter.text) this.#search.value = filter.text
      this.refilter()
    })
    this.#search.addEventListener('input', () => { filter.text = this.#search.value.trim() })
    this.#search.addEventListener('keydown', event => this.#steer(event))
    this.#box.addEventListener('keydown', event => this.#steer(event))
    this.#box.addEventListener('scroll', () => this.refresh(), { passive: true })
    byID('list-clear').addEventListener('click', () => {
      filter.clear()
      this.#search.focus()
    })
    new ResizeObserver(() => this.refresh()).observe(this.#box)
  }

  arrange(order, grouping) {
    this.order = order in orders ? order : 'name'
    this.grouping = grouping in groupings ? grouping : 'none'
    this.#order.value = this.order
    this.#grouping.value = this.grouping
    this.refilter()
  }

  refilter() {
    if (this.#membership !== this.#fleet.membership) this.#named = this.#fleet.all.toSorted(byName)
    const found = this.#named.filter(device => this.#filter.shows(device))
    const { compare } = orders[this.order]
    if (compare) found.sort(compare)
    if (this.grouping === 'none') {
      this.#shown = found
    } else {
      this.#shown = groupsOf(found, this.grouping, this.order).flatMap(group =>
        this.#closed.has(group.name) ? [group] : [group, ...group.devices])
    }
    this.#membership = this.#fleet.membership
    this.#space.style.height = `${this.#shown.length * rowHeight}px`
    const all = this.#fleet.all.length
    replaceText(byID('list-count'), !this.#fleet.isListed ? '–' : found.length === all
      ? (all === 1 ? '1 device' : `${count(all)} devices`)
      : `${count(found.length)} of ${count(all)} devices`)
    this.#empty.hidden = found.length > 0 || all === 0
    this.refresh()
  }

  /** The states have changed, or a device has come. */
  update() {
    if (this.#membership !== this.#fleet.membership || !this.#filter.isOpen || orders[this.order].compare || this.grouping !== 'none') this.refilter()
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
    const row = { node, name, detail, mark, entry: null }
    node.addEventListener('click', () => row.entry && this.#choose(row.entry))
    this.#space.append(node)
    return row
  }

  #fill(row, entry, index) {
    row.entry = entry ?? null
    row.node.hidden = !entry
    if (!entry) return
    row.node.style.transform = `translateY(${index * rowHeight}px)`
    row.node.setAttribute('aria-selected', entry === this.selected)
    row.node.setAttribute('aria-setsize', this.#shown.length)
    row.node.setAttribute('aria-posinset', index + 1)
    row.node.classList.toggle('list-group', entry.devices !== undefined)
    if (entry.devices) return this.#fillGroup(row, entry)
    row.node.removeAttribute('aria-expanded')
    row.node.style.removeProperty('--heat')
    row.mark.dataset.state = entry.state
    replaceText(row.name, entry.run ? `${entry.run} / ${entry.name}` : entry.name)
    row.name.title = entry.tags.length > 0 ? `${entry.name} (${entry.tags.join(', ')})` : entry.name
    replaceText(row.detail, this.#detail(entry))
  }

  #fillGroup(row, group) {
    const isOpen = !this.#closed.has(group.name)
    row.node.setAttribute('aria-expanded', isOpen)
    row.node.style.setProperty('--heat', `${Math.round(group.bad / group.devices.length * 100)}%`)
    delete row.mark.dataset.state
    replaceText(row.name, `${isOpen ? '▾' : '▸'} ${group.name}`)
    row.name.title = group.name
    const parts = [group.devices.length === 1 ? '1 device' : `${count(group.devices.length)} devices`]
    if (group.bad > 0) parts.push(`${count(group.bad)} in trouble`)
    if (group.failed > 0) parts.push(group.failed === 1 ? '1 failure' : `${count(group.failed)} failures`)
    replaceText(row.detail, parts.join(' · '))
  }

  #detail(device) {
    const since = duration(this.#fleet.now - device.seenAt)
    if (device.state === 'failing' || device.state === 'refused') return `${device.state} · ${device.failures}× ${device.status} · ${since}`
    if (device.state === 'late') return `late · ${duration(behind(device))} behind`
    return device.state === 'moving' && device.speed >= 0 && this.order === 'name' ? speed(device.speed) : `${device.state} · ${since}`
  }

  #steer(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    const last = this.#shown.length - 1
    let index = this.#shown.indexOf(this.selected)
    if (event.key === 'Home' && event.currentTarget === this.#box) index = 0
    else if (event.key === 'End' && event.currentTarget === this.#box) index = last
    else if (event.key === 'Enter' && event.currentTarget === this.#search) index = Math.max(0, index)
    else if (event.key === 'Enter' && this.selected) return this.#choose(this.selected)
    else if (step) index = Math.max(0, Math.min(last, index + step))
    else return
    event.preventDefault()
    if (this.#shown[index]) this.#choose(this.#shown[index], true)
  }

  /** A group that is met by the keyboard opens and closes with Enter. */
  #choose(entry, isStep = false) {
    if (!entry.devices) return this.dispatchEvent(new CustomEvent('choose', { detail: { device: entry, isStep } }))
    if (isStep) return this.select(entry)
    if (!this.#closed.delete(entry.name)) this.#closed.add(entry.name)
    this.refilter()
  }

  select(entry) {
    this.selected = entry
    const index = this.#shown.indexOf(entry)
    if (index >= 0) {
      const top = index * rowHeight
      const box = this.#box
      if (top < box.scrollTop) box.scrollTop = top
      else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
    }
    this.refresh()
  }
}
