// The form for a rule of faults: a new one, or one that is there.

import { button, element, field, option, replaceText } from './dom.js'
import { handshakeKinds, kinds, operations } from './fault-kinds.js'

/** In a question for rules and in a match. */
export const everyRun = '*'

const whole = (name, min, attributes = {}) => element('input', { name, type: 'number', min, max: 2_147_483_647, step: 1, ...attributes })
const word = (name, placeholder) => element('input', { name, placeholder, autocomplete: 'off', spellcheck: 'false' })
const instant = name => element('input', { name, type: 'datetime-local', step: 1 })

/** What the browser's field for a time holds, in the time of this place. */
const localText = text => {
  if (!text) return ''
  const date = new Date(text)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

export class RuleForm {
  #settings = element('div', { class: 'row' })
  #says = element('small', {})
  #title = element('h3', {}, 'Another fault')
  #submit = button('Add fault', null, { type: 'submit', class: 'primary' })
  #cancel = button('Cancel', () => this.begin(), { hidden: true })
  #fields = {
    id: word('id', 'by itself'),
    kind: element('select', { name: 'kind' }, ...Object.keys(kinds).map(name => option(name))),
    device: word('device', 'any'),
    tag: word('tag', 'any'),
    host: word('host', 'any, or as *.phones.test'),
    address: word('address', 'any'),
    run: element('select', { name: 'run' }, option('', 'none')),
    operation: element('select', { name: 'operation' }, option('', 'any request'), ...operations.map(name => option(name))),
    share: element('input', { name: 'share', type: 'number', min: 0, max: 100, step: 'any', required: true, value: 100 }),
    count: whole('count', 1, { placeholder: 'always' }),
    skip: whole('skip', 0, { placeholder: '0' }),
    seed: element('input', { name: 'seed', type: 'number', min: 0, step: 1, placeholder: '0' }),
    from: instant('match-from'),
    to: instant('match-to'),
  }
  #runField = field('Run', this.#fields.run)
  #hasRuns = false
  // What a request says of itself, and what a handshake of TLS does.
  #ofRequests = []
  #ofHandshakes = []
  #more = element('details', { class: 'more-fields' }, element('summary', {}, 'More conditions'))
  /** What is changed; null for a new rule. */
  edited = null
  said = element('p', { class: 'said problem', role: 'alert' })
  node

  /** `save(rule, run, edited)` is true when it is done. */
  constructor(save) {
    const f = this.#fields
    f.kind.addEventListener('change', () => this.#describe({}))
    const tag = field('Tag', f.tag)
    this.#ofRequests = [field('Device', f.device), field('Request', f.operation), tag]
    this.#ofHandshakes = [field('Host', f.host), field('Address', f.address)]
    this.#more.append(
      element('div', { class: 'row' }, tag, field('Name of the rule', f.id)),
      element('div', { class: 'row' }, field('Skip the first', f.skip), field('Seed', f.seed)),
      element('div', { class: 'row' }, field('From', f.from), field('Until', f.to)))
    this.node = element('form', { class: 'stack' }, this.#title,
      field('Kind', f.kind), this.#says, this.#settings,
      element('div', { class: 'row' }, this.#ofRequests[0], this.#runField),
      this.#ofRequests[1], element('div', { class: 'row' }, ...this.#ofHandshakes),
      element('div', { class: 'row' }, field('Share, %', f.share), field('Times', f.count)), this.#more,
      element('div', { class: 'row end' }, this.#cancel, this.#submit), this.said)
    this.node.addEventListener('submit', async event => {
      event.preventDefault()
      if (await save(this.#rule(), this.#run, this.edited)) this.begin({ device: f.device.value, run: f.run.value })
    })
    // The browser's own word for it goes with the next click.
    this.node.addEventListener('invalid', ({ target }) => {
      if (this.#more.contains(target)) this.#more.open = true
      if (target === this.node.querySelector(':invalid')) this.say(`${target.labels[0].firstElementChild.textContent}: ${target.validationMessage}`)
    }, true)
    this.begin()
  }

  /** In which the rule is set: one for handshakes in none. */
  get #run() { return handshakeKinds.includes(this.#fields.kind.value) ? '' : this.#fields.run.value }

  say(text) {
    replaceText(this.said, text)
    if (text) this.said.scrollIntoView({ block: 'nearest' })
  }

  /** A new rule, proposed for a device. */
  begin({ device = '', run = '' } = {}) {
    this.edited = null
    this.#write({ fault: { kind: this.#fields.kind.value }, match: { device }, run })
    replaceText(this.#title, 'Another fault')
    replaceText(this.#submit, 'Add fault')
    this.#cancel.hidden = true
    this.#fields.run.disabled = false
  }

  propose(device) {
    if (this.edited) return
    this.#fields.device.value = device?.name ?? ''
    this.#fields.run.value = device?.run ?? ''
  }

  edit(rule) {
    this.edited = rule
    this.#write(rule)
    this.say('')
    replaceText(this.#title, `Change ${rule.id}`)
    replaceText(this.#submit, 'Change fault')
    this.#cancel.hidden = false
    // A rule belongs to the run in which it was set.
    this.#fields.run.disabled = true
    this.#more.open ||= ['tag', 'skip', 'from', 'to'].some(name => rule.match[name]) || rule.seed > 0
    this.node.scrollIntoView({ block: 'nearest' })
    this.#fields.kind.focus()
  }

  #write({ id, fault, match, seed, run }) {
    const f = this.#fields
    f.kind.value = fault.kind
    this.#describe(fault)
    f.id.value = id ?? ''
    for (const name of ['device', 'tag', 'operation', 'host', 'address', 'count']) f[name].value = match[name] ?? ''
    f.skip.value = match.skip || ''
    f.seed.value = seed || ''
    f.share.value = Number(((match.share ?? 1) * 100).toFixed(6))
    f.from.value = localText(match.from)
    f.to.value = localText(match.to)
    f.run.value = match.run ?? run ?? ''
    if (f.run.value !== (match.run ?? run ?? '')) f.run.value = ''
  }

  /** The settings of the kind. A delay that is drawn has two times. */
  #describe({ kind, ...values }) {
    const [says, settings] = kinds[this.#fields.kind.value]
    replaceText(this.#says, says)
    const isDrawn = 'time' in settings && values.from !== values.to
    const shown = isDrawn ? { from: settings.time, to: settings.time } : settings
    const given = values.from !== undefined && !isDrawn ? { time: values.from } : values
    this.#settings.replaceChildren(...Object.entries(shown).map(([name, { value, choices, ...attributes }]) =>
      field(name, this.#setting(name, given[name] ?? value, choices, attributes))))
    this.#showConditions()
  }

  #setting(name, value, choices, attributes) {
    if (!choices) return element('input', { name: `setting-${name}`, required: true, value, ...attributes })
    const select = element('select', { name: `setting-${name}` }, ...choices.map(choice => option(choice)))
    select.value = value
    return select
  }

  #showConditions() {
    const isOfHandshake = handshakeKinds.includes(this.#fields.kind.value)
    for (const node of this.#ofRequests) node.hidden = isOfHandshake
    for (const node of this.#ofHandshakes) node.hidden = !isOfHandshake
    this.#runField.hidden = isOfHandshake || !this.#hasRuns
  }

  #rule() {
    const f = this.#fields
    const fault = { kind: f.kind.value }
    // What has no field, as the head and the body of an answer, stays as it was.
    if (this.edited?.fault.kind === fault.kind) for (const name of ['headers', 'body']) if (this.edited.fault[name]) fault[name] = this.edited.fault[name]
    for (const input of this.#settings.querySelectorAll('input, select')) {
      fault[input.name.slice(8)] = input.type === 'number' ? input.valueAsNumber : input.value
    }
    const match = { share: Number((f.share.valueAsNumber / 100).toFixed(8)) }
    const isOfHandshake = handshakeKinds.includes(fault.kind)
    for (const name of isOfHandshake ? ['host', 'address'] : ['device', 'tag', 'operation']) if (f[name].value !== '') match[name] = f[name].value
    for (const name of ['count', 'skip']) if (f[name].value !== '') match[name] = f[name].valueAsNumber
    for (const name of ['from', 'to']) if (f[name].value !== '') match[name] = new Date(f[name].value).toISOString()
    if (isOfHandshake) return this.#whole(fault, match)
    if (f.run.value === everyRun) match.run = everyRun
    else if (this.edited?.match.run) match.run = this.edited.match.run
    return this.#whole(fault, match)
  }

  #whole(fault, match) {
    const f = this.#fields
    return { id: f.id.value.trim(), fault, match, seed: f.seed.value === '' ? 0 : f.seed.valueAsNumber, enabled: this.edited?.enabled ?? true }
  }

  /** Those that are known. */
  offerRuns(runs) {
    const chosen = this.#fields.run.value
    this.#fields.run.replaceChildren(option('', 'none'), ...runs.map(run => option(run)), option(everyRun, 'all runs'))
    this.#fields.run.value = chosen
    if (this.#fields.run.value !== chosen) this.#fields.run.value = ''
    this.#hasRuns = runs.length > 0
    this.#showConditions()
  }

  hideRuns() {
    this.#hasRuns = false
    this.#showConditions()
  }

  focus() { this.#fields.kind.focus() }
}
