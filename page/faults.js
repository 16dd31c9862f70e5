// What goes wrong on purpose: the rules of the server, with how often each was met, and the form for another.

import { get, put } from './api.js'
import { button, byID, element, field, option, replaceText } from './dom.js'
import { count } from './format.js'

/** Every kind of fault: what it does, and its settings with a value to begin from. */
export const kinds = {
  status: ['stores nothing and answers with a status', { status: 500 }],
  refuse: ['answers before the body is read; stores nothing', { status: 503 }],
  reset: ['resets the connection before the body is read', {}],
  delay: ['waits, then goes on as usual', { time: '2s' }],
  portal: ['answers 200 with a page of HTML and stores nothing', {}],
  redirect: ['sends the client elsewhere', { status: 302, location: 'http://localhost/login' }],
  pretend: ['acknowledges everything and stores nothing', {}],
  prefix: ['stores the first records and acknowledges all', { records: 1 }],
  drop: ['stores, and closes without an answer', {}],
  cut: ['stores, and cuts the answer after some bytes', { bytes: 20 }],
  delayAfterCommit: ['stores, and answers late', { time: '5s' }],
  dribble: ['stores, and answers in small pieces', { bytes: 1, every: '1s' }],
  malformed: ['stores, and answers with no JSON', {}],
  wrongLength: ['stores, and announces a wrong length', { by: 10 }],
  empty: ['stores, and answers 200 without content', {}],
}

const operations = ['uploadLocations', 'registerDevice', 'refreshToken', 'uploadDeviceLog']

export class FaultPanel {
  #rules = element('div', { class: 'cards', role: 'list', 'aria-label': 'Rules' })
  #problem = element('p', { class: 'said problem', role: 'alert' })
  #deviceName = element('input', { name: 'device', placeholder: 'any', autocomplete: 'off', spellcheck: 'false' })

  constructor() {
    byID('panel-faults').append(
      element('p', { class: 'lead' }, 'Faults meet the requests of devices, so that you see how an app behaves when its server does not.'),
      this.#rules, this.#problem, this.#form())
  }

  /** The device to whom the next rule is proposed. */
  propose(device) { this.#deviceName.value = device?.name ?? '' }

  async load() {
    try {
      const { faults } = await get('faults')
      this.#show(faults)
      replaceText(this.#problem, '')
    } catch (error) {
      replaceText(this.#problem, error.message)
    }
  }

  #show(faults) {
    const badge = byID('badge-faults')
    badge.hidden = faults.length === 0
    replaceText(badge, String(faults.length))
    const cards = faults.map(rule => this.#card(rule))
    this.#rules.replaceChildren(...(cards.length > 0 ? cards : [element('p', { class: 'empty' }, 'No fault is set.')]))
  }

  #card(rule) {
    const { kind, ...settings } = rule.fault
    const said = Object.entries(settings).map(([name, value]) => `${name} ${value}`).join(', ')
    return element('article', { class: 'card', role: 'listitem', 'data-rule': rule.id },
      element('div', { class: 'row' }, element('strong', {}, kind), element('span', { class: 'quiet' }, said),
        button('Remove', () => this.#replace(rules => rules.filter(({ id }) => id !== rule.id)), { 'aria-label': `Remove the fault ${rule.id}` })),
      element('p', { class: 'quiet' }, whom(rule.match)),
      element('p', { class: 'hits' }, element('b', {}, count(rule.hits)), ` of ${count(rule.matched)} requests met it`))
  }

  /** The server keeps the list as a whole: it is read, changed and put back. */
  async #replace(change) {
    try {
      const { faults } = await get('faults')
      const rules = faults.map(({ id, fault, match, seed }) => ({ id, fault, match, seed }))
      this.#show((await put('faults', { faults: change(rules) })).faults)
      replaceText(this.#problem, '')
      return true
    } catch (error) {
      replaceText(this.#problem, error.message)
      return false
    }
  }

  #form() {
    const kind = element('select', { name: 'kind' }, ...Object.keys(kinds).map(name => option(name)))
    const says = element('small', {})
    const settings = element('div', { class: 'row' })
    const share = element('input', { name: 'share', type: 'number', min: 1, max: 100, value: 100 })
    const times = element('input', { name: 'count', type: 'number', min: 1, placeholder: 'always' })
    const operation = element('select', { name: 'operation' }, option('', 'any request'), ...operations.map(name => option(name)))
    const describe = () => {
      const [text, defaults] = kinds[kind.value]
      replaceText(says, text)
      settings.replaceChildren(...Object.entries(defaults).map(([name, value]) =>
        field(name, element('input', { name: `setting-${name}`, value: String(value), 'data-number': typeof value === 'number' }))))
    }
    kind.addEventListener('change', describe)
    describe()

    const add = async event => {
      event.preventDefault()
      const fault = { kind: kind.value }
      for (const input of settings.querySelectorAll('input')) {
        if (input.value !== '') fault[input.name.slice(8)] = input.dataset.number === undefined ? input.value : Number(input.value)
      }
      const match = { share: Number(share.value) / 100 }
      if (this.#deviceName.value) match.device = this.#deviceName.value
      if (times.value) match.count = Number(times.value)
      if (operation.value) match.operation = operation.value
      await this.#replace(rules => [...rules, { id: freeName(kind.value, rules), fault, match }])
    }
    return element('form', { class: 'stack', onsubmit: add }, element('h3', {}, 'Another fault'),
      field('Kind', kind), says, settings,
      element('div', { class: 'row' }, field('Device', this.#deviceName), field('Request', operation)),
      element('div', { class: 'row' }, field('Share, %', share), field('Times', times)),
      element('div', { class: 'row end' }, button('Add fault', null, { type: 'submit', class: 'primary' })))
  }
}

function whom(match) {
  const parts = [match.device ? `device ${match.device}` : match.tag ? `devices tagged ${match.tag}` : 'every device']
  if (match.operation) parts.push(match.operation)
  if (match.share < 1) parts.push(`${Math.round(match.share * 100)} % of the requests`)
  if (match.count) parts.push(match.count === 1 ? 'once' : `${match.count} times`)
  if (match.skip) parts.push(`after ${match.skip}`)
  return parts.join(' · ')
}

function freeName(kind, rules) {
  const taken = new Set(rules.map(({ id }) => id))
  let number = 1
  while (taken.has(`${kind}-${number}`)) number += 1
  return `${kind}-${number}`
}
