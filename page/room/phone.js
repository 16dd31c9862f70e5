// One phone: how it does now, or at the instant that the slider shows.

import { arrange, button, byID, element, option, replaceText } from '../dom.js'
import { count, distance } from '../format.js'
import { get } from './link.js'
import { milliseconds, runTime } from './panels.js'
import { conditions } from './phones.js'

const facts = ['fleet', 'condition', 'network', 'true place', 'place at the server', 'waiting', 'token']

export class PhonePanel extends EventTarget {
  #phones
  #name = null
  #search = element('input', { type: 'search', list: 'phone-names', autocomplete: 'off', spellcheck: 'false', placeholder: 'Find a phone', 'aria-label': 'Find a phone by its name' })
  #names = element('datalist', { id: 'phone-names' })
  #title = element('h2', { tabindex: -1 })
  #state = element('span', { class: 'state' })
  #values = facts.map(() => element('dd', {}, '–'))
  #follow = button('Follow', () => this.dispatchEvent(new Event('follow')), { 'aria-pressed': 'false' })
  #requests = element('ol', { class: 'requests' })
  #none = element('p', { class: 'quiet' }, 'It has sent nothing yet.')
  #problem = element('p', { class: 'problem', role: 'alert' })
  #body
  #empty = element('p', { class: 'empty' }, 'Choose a phone on the map, by its name above, or with N.')

  constructor(phones) {
    super()
    this.#phones = phones
    this.#body = element('div', { hidden: true },
      element('div', { class: 'device-head' }, this.#title, this.#state),
      element('div', { class: 'row actions' },
        button('Show on map', () => this.dispatchEvent(new Event('centre'))), this.#follow),
      element('dl', { class: 'facts' }, ...facts.map((fact, index) => element('div', {}, element('dt', {}, fact), this.#values[index]))),
      element('h3', {}, 'Last requests'), this.#requests, this.#none)
    const form = element('form', { class: 'phone-search', role: 'search' }, this.#search, this.#names)
    form.addEventListener('submit', event => {
      event.preventDefault()
      this.#find()
    })
    this.#search.addEventListener('input', () => this.#propose())
    this.#search.addEventListener('change', () => this.#find())
    byID('panel-phone').append(form, this.#problem, this.#body, this.#empty)
  }

  focusSearch() { this.#search.focus() }

  #propose() {
    const wanted = this.#search.value.trim().toLowerCase()
    const found = wanted === '' ? [] : this.#phones.names.filter(name => name.toLowerCase().includes(wanted)).slice(0, 20)
    this.#names.replaceChildren(...found.map(name => option(name)))
  }

  #find() {
    const wanted = this.#search.value.trim().toLowerCase()
    if (wanted === '') return
    let index = this.#phones.names.findIndex(name => name.toLowerCase() === wanted)
    if (index < 0) index = this.#phones.names.findIndex(name => name.toLowerCase().includes(wanted))
    replaceText(this.#problem, index < 0 ? `No phone has ${wanted} in its name.` : '')
    if (index >= 0) this.dispatchEvent(new CustomEvent('choose', { detail: index }))
  }

  /** `name` is null for none. */
  show(name, isFollowed) {
    this.#body.hidden = name === null
    this.#empty.hidden = name !== null
    this.#follow.setAttribute('aria-pressed', isFollowed)
    if (name !== this.#name) {
      this.#name = name
      for (const value of this.#values) replaceText(value, '–')
      this.#requests.replaceChildren()
      replaceText(this.#title, name ?? '')
      if (name !== null) this.load(this.#instant)
    }
  }

  #instant = null
  #isLoading = false

  /** `instant` is a time of the run in seconds, null for now. */
  async load(instant = null) {
    this.#instant = instant
    if (this.#name === null || this.#isLoading) return
    this.#isLoading = true
    const name = this.#name
    const query = instant === null ? '' : `?instant=${instant}`
    const phone = await get(`phones/${encodeURIComponent(name)}${query}`).catch(error => error)
    this.#isLoading = false
    if (name !== this.#name || instant !== this.#instant) return this.load(this.#instant)
    replaceText(this.#problem, phone instanceof Error ? phone.message : '')
    if (!(phone instanceof Error)) this.#fill(phone)
  }

  #fill(phone) {
    const { says, name, state } = conditions[phone.condition]
    replaceText(this.#state, name)
    this.#state.dataset.state = state
    this.#state.title = says
    const texts = [
      phone.fleet, says, phone.network, place(phone.place),
      phone.known ? `${place(phone.known)}, ${distance(Math.round(phone.apartMetres))} behind` : 'nothing yet',
      `${count(phone.queue)} ${phone.queue === 1 ? 'record' : 'records'}`, phone.token,
    ]
    texts.forEach((text, index) => replaceText(this.#values[index], text))
    const requests = phone.requests ?? []
    this.#none.hidden = requests.length > 0
    replaceText(this.#none, phone.requests === null ? 'Requests are recorded in the modes virtual and lockstep.' : 'It has sent nothing yet.')
    arrange(this.#requests, requests.map(line))
  }
}

const place = pair => pair === null ? '–' : `${pair[0].toFixed(5)}, ${pair[1].toFixed(5)}`

function line({ kind, sentAtSeconds, milliseconds: took, status }) {
  const end = status === null ? 'under way' : status === 0 ? 'no answer' : String(status)
  return element('li', {}, element('span', { class: 'request-time' }, runTime(sentAtSeconds)), element('span', { class: 'request-line' }, kind),
    element('span', { class: 'status', 'data-class': status === 0 ? '5xx' : `${end[0]}xx` }, end),
    element('span', { class: 'quiet' }, took === null ? '' : milliseconds(took)))
}
