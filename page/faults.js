// What goes wrong on purpose: the rules of the server, with how often each was met, and the form for another.

import { get, put, run as pageRun, Silence } from './api.js'
import { arrange, button, byID, element, field, option, replaceText } from './dom.js'
import { count } from './format.js'

const whole = (value, min, max) => ({ value, type: 'number', min, max, step: 1 })
const text = value => ({ value, type: 'text', autocomplete: 'off', spellcheck: 'false' })

/** Every kind of fault: what it does, and its settings as fields with a value to begin from. */
export const kinds = {
  status: ['stores nothing and answers with a status', { status: whole(500, 200, 599) }],
  refuse: ['answers before the body is read; stores nothing', { status: whole(503, 200, 599) }],
  reset: ['resets the connection before the body is read', {}],
  delay: ['waits, then goes on as usual', { time: text('2s') }],
  portal: ['answers 200 with a page of HTML and stores nothing', {}],
  redirect: ['sends the client elsewhere', { status: whole(302, 300, 399), location: text('http://localhost/login') }],
  pretend: ['acknowledges everything and stores nothing', {}],
  prefix: ['stores the first records and acknowledges all', { records: whole(1, 0) }],
  drop: ['stores, and closes without an answer', {}],
  cut: ['stores, and cuts the answer after some bytes', { bytes: whole(20, 0) }],
  delayAfterCommit: ['stores, and answers late', { time: text('5s') }],
  dribble: ['stores, and answers in small pieces', { bytes: whole(1, 1), every: text('1s') }],
  malformed: ['stores, and answers with no JSON', {}],
  wrongLength: ['stores, and announces a wrong length', { by: whole(10, -65_536, 65_536) }],
  empty: ['stores, and answers 200 without content', {}],
}

const operations = ['uploadLocations', 'registerDevice', 'refreshToken', 'uploadDeviceLog']
/** In a question for rules and in a match. */
const everyRun = '*'

export class FaultPanel {
  #fleet
  #rules = element('div', { class: 'cards', role: 'list', 'aria-label': 'Rules' })
  /** By run and id: `{ node, told, update }`. */
  #cards = new Map()
  #none = element('p', { class: 'empty' }, 'No fault is set.')
  /** About the list; it goes when the list can be read again. */
  #problem = element('p', { class: 'said problem', role: 'alert' })
  /** About what was tried last; it stays until something else is tried. */
  #said = element('p', { class: 'said problem', role: 'alert' })
  #kind = element('select', { name: 'kind' }, ...Object.keys(kinds).map(name => option(name)))
  #deviceName = element('input', { name: 'device', placeholder: 'any', autocomplete: 'off', spellcheck: 'false' })
  #run = element('select', { name: 'run' }, option('', 'none'))
  #runField = field('Run', this.#run)
  #runs = []

  constructor(fleet) {
    this.#fleet = fleet
    this.#runField.hidden = true
    byID('panel-faults').append(
      element('p', { class: 'lead' }, 'Faults meet the requests of devices, so that you see how an app behaves when its server does not.'),
      this.#rules, this.#problem, this.#form())
    this.#show([])
  }

  /** The device to whom the next rule is proposed. */
  propose(device) {
    this.#deviceName.value = device?.name ?? ''
    this.#offerRuns([])
    this.#run.value = device?.run ?? ''
  }

  async load() {
    try {
      const { faults } = await get('faults', pageRun ? {} : { run: everyRun })
      this.#show(faults)
      replaceText(this.#problem, '')
    } catch (error) {
      if (!(error instanceof Silence)) replaceText(this.#problem, error.message)
    }
  }

  #show(faults) {
    const badge = byID('badge-faults')
    badge.hidden = faults.length === 0
    replaceText(badge, String(faults.length))
    this.#offerRuns(faults.map(({ run }) => run))
    const cards = new Map(faults.map(rule => {
      const key = `${rule.run}\n${rule.id}`
      const told = JSON.stringify([rule.fault, rule.match])
      const known = this.#cards.get(key)
      const card = known?.told === told ? known : { told, ...this.#card(rule) }
      card.update(rule, this.#whom(rule))
      return [key, card]
    }))
    this.#cards = cards
    arrange(this.#rules, cards.size > 0 ? [...cards.values()].map(({ node }) => node) : [this.#none])
  }

  #card(rule) {
    const { kind, ...settings } = rule.fault
    const said = Object.entries(settings).map(([name, value]) => `${name} ${value}`).join(', ')
    const [whom, hits, matched] = [element('p', { class: 'quiet' }), element('b', {}), element('span', {})]
    const node = element('article', { class: 'card', role: 'listitem', 'data-rule': rule.id, 'data-run': rule.run },
      element('div', { class: 'row' }, element('strong', {}, kind), element('span', { class: 'quiet' }, said),
        button('Remove', () => this.#remove(rule, node), { 'aria-label': `Remove the fault ${rule.id}` })),
      whom, element('p', { class: 'hits' }, hits, matched))
    const update = (rule, meant) => {
      replaceText(whom, meant)
      replaceText(hits, count(rule.hits))
      replaceText(matched, ` of ${count(rule.matched)} requests met it`)
    }
    return { node, update }
  }

  #whom({ run, match }) {
    const where = match.run ?? run
    const parts = [match.device ? `device ${match.device}` : match.tag ? `devices tagged ${match.tag}` : 'every device']
    if (where === everyRun) parts.push('all runs')
    else if (where) parts.push(`run ${where}`)
    else if (this.#runs.length > 0) parts.push('no run')
    if (match.operation) parts.push(match.operation)
    if (match.share < 1) parts.push(`${Number((match.share * 100).toFixed(4))} % of the requests`)
    if (match.count) parts.push(match.count === 1 ? 'once' : `${match.count} times`)
    if (match.skip) parts.push(`after ${match.skip}`)
    return parts.join(' · ')
  }

  /** Those that are known; a page of one run has no choice. */
  #offerRuns(named) {
    if (pageRun) return
    const known = [...new Set([...this.#fleet.all.map(({ run }) => run), ...named])].filter(run => run !== '').sort()
    if (known.join('\n') === this.#runs.join('\n')) return
    const chosen = this.#run.value
    this.#runs = known
    this.#run.replaceChildren(option('', 'none'), ...known.map(run => option(run)), option(everyRun, 'all runs'))
    this.#run.value = chosen
    if (this.#run.value !== chosen) this.#run.value = ''
    this.#runField.hidden = known.length === 0
  }

  async #remove(rule, node) {
    const next = node.nextElementSibling ?? node.previousElementSibling
    const isDone = await this.#replace(rule.run, rules => rules.filter(({ id }) => id !== rule.id))
    if (isDone && document.activeElement === document.body) (next?.querySelector('button') ?? this.#kind).focus()
  }

  /** The server keeps the list of a run as a whole: it is read, changed and put back. */
  async #replace(run, change) {
    const query = pageRun ? {} : { run }
    try {
      const { faults } = await get('faults', query)
      const rules = faults.map(({ id, fault, match, seed }) => ({ id, fault, match, seed }))
      await put('faults', { faults: change(rules) }, query)
    } catch (error) {
      this.#say(error.message.replace(/^faults\[\d+\]\.(fault\.|match\.)?/, ''))
      return false
    }
    this.#say('')
    await this.load()
    return true
  }

  #say(text) {
    replaceText(this.#said, text)
    if (text) this.#said.scrollIntoView({ block: 'nearest' })
  }

  #form() {
    const says = element('small', {})
    const settings = element('div', { class: 'row' })
    const share = element('input', { name: 'share', type: 'number', min: 0.01, max: 100, step: 'any', required: true, value: 100 })
    const times = element('input', { name: 'count', placeholder: 'always', ...whole('', 1, 2_147_483_647) })
    const operation = element('select', { name: 'operation' }, option('', 'any request'), ...operations.map(name => option(name)))
    const describe = () => {
      const [text, fields] = kinds[this.#kind.value]
      replaceText(says, text)
      settings.replaceChildren(...Object.entries(fields).map(([name, attributes]) =>
        field(name, element('input', { name: `setting-${name}`, required: true, ...attributes }))))
    }
    this.#kind.addEventListener('change', describe)
    describe()

    const add = async event => {
      event.preventDefault()
      const fault = { kind: this.#kind.value }
      for (const input of settings.querySelectorAll('input')) {
        fault[input.name.slice(8)] = input.type === 'number' ? input.valueAsNumber : input.value
      }
      const match = { share: share.valueAsNumber / 100 }
      if (this.#deviceName.value) match.device = this.#deviceName.value
      if (times.value) match.count = times.valueAsNumber
      if (operation.value) match.operation = operation.value
      const isForAll = this.#run.value === everyRun
      if (isForAll) match.run = everyRun
      const isDone = await this.#replace(isForAll ? '' : this.#run.value, rules => [...rules, { id: freeName(fault.kind, rules), fault, match }])
      if (!isDone) return
      describe()
      share.value = 100
      times.value = ''
    }
    // The browser's own word for it goes with the next click.
    const refuse = ({ target }) => target === form.querySelector(':invalid') && this.#say(`${target.labels[0].firstElementChild.textContent}: ${target.validationMessage}`)
    const form = element('form', { class: 'stack', onsubmit: add }, element('h3', {}, 'Another fault'),
      field('Kind', this.#kind), says, settings,
      element('div', { class: 'row' }, field('Device', this.#deviceName), this.#runField),
      field('Request', operation),
      element('div', { class: 'row' }, field('Share, %', share), field('Times', times)),
      element('div', { class: 'row end' }, button('Add fault', null, { type: 'submit', class: 'primary' })), this.#said)
    form.addEventListener('invalid', refuse, true)
    return form
  }
}

function freeName(kind, rules) {
  const taken = new Set(rules.map(({ id }) => id))
  let number = 1
  while (taken.has(`${kind}-${number}`)) number += 1
  return `${kind}-${number}`
}
