// The requests of all devices, the newest first, with filters.

import { download, get, Refusal, Silence } from './api.js'
import { curlTo } from './curl.js'
import { arrange, button, byID, copyButton, element, option, replaceText } from './dom.js'
import { ErrorTable } from './errors.js'
import { kinds, operations } from './fault-kinds.js'
import { count } from './format.js'
import { looked, requestElement, RequestSearch } from './requests.js'

const atOnce = 100
const kept = 500

export class RequestLog extends EventTarget {
  #filter
  #rows = byID('log-rows')
  #said = byID('log-said')
  /** The next turn of the log says nothing in its place. */
  #saved = element('p', { class: 'log-said', role: 'status' })
  #errors
  #fields
  #pause = button('Pause', () => this.#setPaused(!this.isPaused), { 'aria-pressed': 'false' })
  #older = button('Older ones', () => this.#goOn())
  #nodes = new Map()
  #search = null
  #newest = 0
  #isLoading = false
  #turn = 0
  isPaused = false

  constructor(filter) {
    super()
    this.#filter = filter
    this.#errors = new ErrorTable(filter)
    this.#errors.addEventListener('choose', ({ detail }) => this.apply({ status: String(detail.status), fault: detail.fault ?? '', text: detail.fault ? '' : detail.code ?? '' }))
    const input = (name, attributes) => element('input', { name: `log-${name}`, autocomplete: 'off', spellcheck: 'false', ...attributes })
    const select = (name, label, ...options) => element('select', { name: `log-${name}`, 'aria-label': label }, ...options)
    this.#fields = {
      status: input('status', { placeholder: 'status, 5xx', 'aria-label': 'Status or class of status', pattern: '[1-5]([0-9][0-9]|xx)', size: 8 }),
      operation: select('operation', 'Operation', option('', 'any operation'), ...operations.map(name => option(name))),
      fault: select('fault', 'Fault', option('', 'fault or not'), option('true', 'hit by a fault'), option('false', 'hit by no fault'), ...Object.keys(kinds).map(name => option(name))),
      path: input('path', { placeholder: 'path begins with', 'aria-label': 'Beginning of the path' }),
      device: input('device', { placeholder: 'device', 'aria-label': 'Device' }),
      text: input('text', { placeholder: 'any text', 'aria-label': 'Text in head, body or answer', type: 'search' }),
    }
    for (const field of Object.values(this.#fields)) {
      field.addEventListener(field.localName === 'select' ? 'change' : 'input', () => this.#changed())
    }
    byID('log-filters').append(...Object.values(this.#fields),
      button('Clear', () => this.apply({})), this.#pause,
      copyButton('Copy as curl', () => curlTo('GET', 'requests', { ...this.query, order: 'newest', limit: atOnce }), { 'aria-label': 'Copy this search as curl' }),
      button('Save', () => this.#save(), { title: 'All requests that match, one JSON text a line' }), this.#saved)
    filter.addEventListener('change', () => { if (this.#asked && this.query.run !== this.#asked.run) this.restart() })
  }

  #asked = null

  /** What the server is asked for. */
  get query() {
    const query = {}
    for (const [name, field] of Object.entries(this.#fields)) if (field.value !== '' && field.validity.valid) query[name] = field.value
    if (this.#filter.run !== null) query.run = this.#filter.run
    return query
  }

  /** What stands in the address. */
  get choices() {
    return Object.fromEntries(Object.entries(this.#fields).filter(([, field]) => field.value !== '').map(([name, field]) => [name, field.value]))
  }

  apply(choices) {
    for (const [name, field] of Object.entries(this.#fields)) field.value = choices[name] ?? ''
    this.#changed()
  }

  #changed() {
    this.dispatchEvent(new Event('change'))
    if (this.#fields.status.validity.valid) this.restart()
  }

  #setPaused(isPaused) {
    this.isPaused = isPaused
    this.#pause.setAttribute('aria-pressed', isPaused)
    replaceText(this.#pause, isPaused ? 'Follow' : 'Pause')
    if (!isPaused) this.restart()
  }

  restart() {
    this.#search = null
    this.#nodes = new Map()
    this.#turn = 0
    this.load()
  }

  /** What has come since the last time, and everything at the first. */
  async load() {
    if (this.#isLoading) return
    this.#isLoading = true
    if (this.#turn % 2 === 0) this.#errors.load()
    this.#turn += 1
    try {
      const isNew = this.#search === null
      const search = this.#search ?? new RequestSearch(this.#asked = this.query, atOnce)
      this.#search = search
      if (isNew) await this.#begin(search)
      else if (!this.isPaused) await this.#follow(search)
    } catch (error) {
      if (error instanceof Refusal) replaceText(this.#said, error.message)
      else if (!(error instanceof Silence)) throw error
    } finally {
      this.#isLoading = false
    }
    if (this.#search === null) this.load()
  }

  async #begin(search) {
    // What comes behind this one is new, whether or not anything before it matches.
    const { requests: [last] } = await get('requests', { order: 'newest', limit: 1 })
    this.#newest = last?.sequence ?? 0
    this.#take((await search.goOn()).found, search)
  }

  async #follow(search) {
    const { requests, cursor } = await get('requests', { ...this.#asked, order: 'oldest', limit: atOnce, cursor: this.#newest })
    if (search !== this.#search) return
    if (requests.length === atOnce) {
      // More has come than a screen shows: it goes on from the newest, and what is read stays.
      this.#nodes = new Map([...this.#nodes].filter(([, node]) => node.open))
      this.#search = null
      return
    }
    this.#take(requests.reverse(), search)
    if (cursor) this.#newest = Math.max(this.#newest, Number(cursor))
  }

  async #save() {
    const name = 'requests.ndjson'
    try {
      await download('requests', { ...this.query, format: 'ndjson' }, name)
      this.#saved.className = 'log-said'
      replaceText(this.#saved, `${name} is saved.`)
    } catch (error) {
      this.#saved.className = 'log-said problem'
      replaceText(this.#saved, error.message)
    }
  }

  async #goOn() {
    const search = this.#search
    if (!search) return
    this.#older.disabled = true
    try {
      const before = search.found.length
      await search.more(atOnce)
      if (search === this.#search) this.#take(search.found.slice(before), search)
    } catch (error) {
      replaceText(this.#said, error.message)
    } finally {
      this.#older.disabled = false
    }
  }

  #take(requests, search) {
    if (search !== this.#search) return
    const open = new Map(this.#nodes)
    for (const request of requests) {
      this.#newest = Math.max(this.#newest, request.sequence)
      if (!open.has(request.sequence)) open.set(request.sequence, requestElement(request, { isOfMany: true }))
    }
    const order = [...open.keys()].sort((one, other) => other - one).slice(0, Math.max(kept, search.found.length))
    this.#nodes = new Map(order.map(sequence => [sequence, open.get(sequence)]))
    const nodes = [...this.#nodes.values()]
    if (search.hasMore) nodes.push(this.#older)
    const box = this.#rows
    const [height, isAtTop] = [box.scrollHeight, box.scrollTop < 4]
    arrange(box, nodes)
    // What is read stays where it is while newer ones come above it.
    if (!isAtTop) box.scrollTop += box.scrollHeight - height
    const found = this.#nodes.size
    replaceText(this.#said, found > 0 ? `${count(found)} requests${search.hasMore ? ', and older ones' : ''}`
      : search.isUnfinished ? `None among the last ${count(Math.max(search.looked, looked))} requests.` : 'No request matches.')
  }
}
