// Everything that can be done to a run: each act with its form, its key, and what became of it.

import { button, byID, element, field, option, replaceText } from '../dom.js'
import { post } from './link.js'
import { milliseconds } from './panels.js'

/** Fields of forms: each makes an input, and reads from it what the act says; undefined leaves the key out. */
const fields = {
  fleet: (label = 'Fleet') => ({ label, input: element('select', { name: 'fleet', 'data-fleets': 'one' }), read: input => input.value }),
  anyFleet: () => ({ label: 'Fleet', input: element('select', { name: 'fleet', 'data-fleets': 'all' }), read: input => input.value || undefined }),
  count: (value, hint) => ({ label: 'Phones', hint, input: element('input', { name: 'count', type: 'number', min: 1, max: 1_000_000, step: 1, value, required: true }), read: input => input.valueAsNumber }),
  factor: () => ({ label: 'Factor', hint: '2 doubles what the fleet does, 0.5 halves it', input: element('input', { name: 'factor', type: 'number', min: 0, max: 1_000, step: 'any', value: 2, required: true }), read: input => input.valueAsNumber }),
  share: () => ({ label: 'Apps, %', input: element('input', { name: 'share', type: 'number', min: 0, max: 100, step: 'any', value: 10, required: true }), read: input => input.valueAsNumber / 100 }),
  network: () => ({ label: 'Network meanwhile', input: element('input', { name: 'network', value: 'none', required: true, autocomplete: 'off', spellcheck: 'false' }), read: input => input.value.trim() }),
  time: () => ({ label: 'For', hint: '90s, 5m or 1h of the run', input: element('input', { name: 'for', value: '5m', required: true, pattern: '\\s*[0-9.]+\\s*(ms|s|m|h|d)\\s*', title: 'a time like 90s, 5m or 1h', autocomplete: 'off', spellcheck: 'false' }), read: input => input.value.trim() }),
}

/** By the name of the act: its words, its key, what it does, and the keys of its object. */
const forms = {
  addPhones: ['Add phones', 'a', 'Those that were removed come back first.', { fleet: fields.fleet(), count: fields.count(10) }],
  removePhones: ['Remove phones', 'r', 'The last to come leave first, when they have delivered what they have.', { fleet: fields.fleet(), count: fields.count(10) }],
  changeRate: ['Change a rate', 'c', 'Trips in an hour where the fleet has trips, else the number of phones.', { fleet: fields.fleet(), factor: fields.factor() }],
  dropNetwork: ['Drop a network', 'd', 'Phones in the area, or everywhere, have another network for a while.', { fleet: fields.anyFleet(), network: fields.network(), for: fields.time() }],
  expireTokens: ['Expire tokens', 'e', 'Access tokens expire: the next uploads get 401.', { fleet: fields.anyFleet() }],
  killApps: ['Kill apps', 'k', 'Users close their apps and open them again as the lifecycle of the fleet says.', { fleet: fields.anyFleet(), share: fields.share() }],
}

const questions = {
  stop: ['Stop and drain?', 'The drives end now. Phones deliver what they have, then the run is judged. This cannot be undone.', 'Stop and drain'],
  abort: ['Abort the run?', 'The run ends at once and nothing drains: what waits in the queues is lost to its figures. This cannot be undone.', 'Abort'],
}

export class ActPanel {
  #drawing
  #acts = byID('acts')
  #sections = new Map()
  #area = null
  #areaSays = element('span', { class: 'quiet', role: 'status' }, 'everywhere')
  #clearArea = button('Everywhere', () => this.#setArea(null), { hidden: true })
  #state = null
  #fleets = ''

  constructor({ drawing }) {
    this.#drawing = drawing
    for (const [name, form] of Object.entries(forms)) this.#acts.append(this.#section(name, ...form))
    byID('pause').addEventListener('click', () => this.togglePause())
    for (const name of ['stop', 'abort']) byID(name).addEventListener('click', () => this.#ask(name))
    this.enable(false)
  }

  #section(name, title, key, says, keys) {
    const form = element('form', {}, element('p', {}, says),
      ...Object.values(keys).map(({ label, input, hint }) => field(label, input, hint)),
      name === 'dropNetwork' ? element('div', { class: 'row' }, button('Draw an area…', () => this.#draw()), this.#clearArea, this.#areaSays) : null,
      element('div', { class: 'row end' }, element('button', { type: 'submit', class: 'primary' }, title)))
    form.addEventListener('submit', event => {
      event.preventDefault()
      const content = {}
      for (const [key, { input, read }] of Object.entries(keys)) {
        const value = read(input)
        if (value !== undefined) content[key] = value
      }
      if (name === 'dropNetwork' && this.#area) content.place = this.#area
      this.#act({ [name]: content })
    })
    const section = element('details', { name: 'act', 'data-act': name }, element('summary', { 'aria-keyshortcuts': key }, element('span', {}, title), element('kbd', { 'aria-hidden': 'true' }, key)), form)
    this.#sections.set(key, section)
    return section
  }

  async #draw() {
    const corners = await this.#drawing.draw()
    if (corners) this.#setArea(corners)
    this.open('d')
  }

  #setArea(corners) {
    this.#area = corners
    this.#clearArea.hidden = corners === null
    replaceText(this.#areaSays, corners === null ? 'everywhere' : `an area of ${corners.length} corners`)
  }

  /** What a key does; undefined for others. */
  key(key) { return this.#sections.has(key) && !this.#acts.disabled ? () => this.open(key) : undefined }

  open(key) {
    document.body.dataset.view = 'fleet'
    const section = this.#sections.get(key)
    section.open = true
    section.querySelector('select, input').focus()
  }

  /** The fleet of a phone is proposed to every form. */
  propose(fleet) {
    if (!fleet) return
    for (const select of this.#acts.querySelectorAll('select[data-fleets=one]')) select.value = fleet
  }

  update(state) {
    this.#state = state
    const isOver = state.phase === 'ended'
    if (isOver) this.enable(false)
    byID('pause').textContent = state.isPaused ? 'Resume' : 'Pause'
    byID('pause').disabled = isOver || !state.canPause
    byID('pause').title = state.canPause ? '' : 'Real-time runs cannot be paused: start with --mode virtual, lockstep or accelerated.'
    byID('stop').disabled = isOver || state.phase === 'settling'
    byID('abort').disabled = isOver
    const names = state.fleets.map(({ name }) => name)
    if (names.join('\n') === this.#fleets) return
    this.#fleets = names.join('\n')
    for (const select of this.#acts.querySelectorAll('select')) {
      const chosen = select.value
      select.replaceChildren(...select.dataset.fleets === 'all' ? [option('', 'all fleets')] : [], ...names.map(name => option(name)))
      if (names.includes(chosen)) select.value = chosen
    }
  }

  enable(isLive) {
    const isOver = this.#state?.phase === 'ended'
    this.#acts.disabled = !isLive || isOver
    for (const name of ['pause', 'stop', 'abort']) byID(name).disabled = !isLive || isOver
  }

  togglePause() {
    if (this.#state?.canPause && this.#state.phase !== 'ended') this.#act({ [this.#state.isPaused ? 'resume' : 'pause']: {} })
  }

  #ask(name) {
    const [title, says, yes] = questions[name]
    replaceText(byID('confirm-title'), title)
    replaceText(byID('confirm-says'), says)
    replaceText(byID('confirm-yes'), yes)
    const dialog = byID('confirm')
    dialog.returnValue = 'no'
    dialog.onclose = () => { if (dialog.returnValue === 'yes') this.#act({ [name]: {} }) }
    dialog.showModal()
  }

  async #act(act) {
    this.say('…')
    const answer = await post('acts', act).catch(error => error)
    if (answer instanceof Error) this.say(answer.message, 'bad')
    else this.say(`${answer.says}${answer.came ? `: ${answer.came}` : ''}; took effect after ${milliseconds(answer.reactionMilliseconds)}`, 'good')
  }

  say(text, mood = '') {
    byID('act-said').dataset.state = mood
    replaceText(byID('act-said'), text)
  }
}
