// Waiting for records and verifying them, as a test would do it.

import { post, Refusal, Silence, waitFor } from './api.js'
import { curlTo } from './curl.js'
import { button, byID, copyButton, element, field, option, replaceText } from './dom.js'
import { count, duration, time } from './format.js'

const comparisons = { atLeast: 'at least', exactly: 'exactly', atMost: 'at most' }
const kept = 20
const there = number => number === 1 ? 'There is 1' : `There are ${count(number)}`

export class CheckPanel {
  #filter
  #number = element('input', { name: 'check-number', type: 'number', min: 0, max: 2_147_483_647, step: 1, required: true, value: 10 })
  #comparison = element('select', { name: 'check-comparison' }, ...Object.entries(comparisons).map(([value, text]) => option(value, text)))
  #device = element('input', { name: 'check-device', placeholder: 'all of the run', autocomplete: 'off', spellcheck: 'false' })
  #run = element('input', { name: 'check-run', placeholder: 'none', autocomplete: 'off', spellcheck: 'false' })
  #event = element('input', { name: 'check-event', placeholder: 'any', autocomplete: 'off', spellcheck: 'false' })
  #since = element('select', { name: 'check-since' }, option('start', 'all stored'), option('now', 'from now on'))
  #timeout = element('input', { name: 'check-timeout', value: '30s', required: true, pattern: '\\d+(ms|s|m|h)', title: '250ms, 10s, 5m', autocomplete: 'off' })
  #results = element('div', { class: 'cards', role: 'log', 'aria-label': 'Results' })

  constructor(filter) {
    this.#filter = filter
    const wait = button('Wait', null, { type: 'submit', class: 'primary' })
    const form = element('form', { class: 'stack', onsubmit: event => { event.preventDefault(); this.#wait() } },
      element('div', { class: 'row' }, field('How many', this.#comparison), field('Records', this.#number)),
      element('div', { class: 'row' }, field('Device', this.#device), field('Run', this.#run)),
      element('div', { class: 'row' }, field('Event', this.#event), field('Counting', this.#since), field('Within', this.#timeout)),
      element('div', { class: 'row end' }, wait, copyButton('Copy as curl', () => curlTo('POST', 'await', {}, this.#awaited), { 'aria-label': 'Copy the wait as curl' })),
      element('div', { class: 'row end' }, button('Verify now', () => form.reportValidity() && this.#verify()),
        copyButton('Copy as curl', () => curlTo('POST', 'verify', {}, this.#expected), { 'aria-label': 'Copy the verification as curl' })))
    byID('panel-checks').append(
      element('p', { class: 'lead' }, 'Wait until records are stored, or verify what is stored now, as POST await and POST verify do it for a test. A failure says why.'),
      form, this.#results)
  }

  propose(device) {
    this.#device.value = device?.name ?? ''
    this.#run.value = device?.run ?? this.#filter.run ?? ''
  }

  get #expected() {
    const body = { [this.#comparison.value]: this.#number.valueAsNumber }
    if (this.#device.value !== '') body.device = this.#device.value
    if (this.#run.value !== '') body.run = this.#run.value
    if (this.#event.value !== '') body.event = this.#event.value
    return body
  }

  get #awaited() { return { ...this.#expected, since: this.#since.value, timeout: this.#timeout.value } }

  get #words() {
    const { device, run, event } = this.#expected
    const number = this.#number.valueAsNumber
    return `${comparisons[this.#comparison.value]} ${count(number)} ${number === 1 ? 'record' : 'records'} of ${device ?? (run ? 'the run' : 'all devices')}${run ? ` in ${run}` : ''}${event ? ` with the event ${event}` : ''}`
  }

  async #wait() {
    const stop = new AbortController()
    const card = this.#card(`Waiting for ${this.#words}`)
    const cancel = button('Stop', () => stop.abort(), { class: 'small' })
    card.acts.append(cancel)
    const begun = Date.now()
    const clock = setInterval(() => replaceText(card.since, duration(Date.now() - begun)), 1_000)
    try {
      // With an event it is a condition, which is answered with what was found.
      const { stored, found } = await waitFor('await', this.#awaited, {}, stop.signal)
      card.end(true, `${there(stored ?? found)}, after ${((Date.now() - begun) / 1_000).toFixed(1)} s.`)
    } catch (error) {
      if (stop.signal.aborted) card.end(null, 'Stopped.')
      else this.#fail(card, error)
    } finally {
      clearInterval(clock)
      cancel.remove()
    }
  }

  async #verify() {
    const card = this.#card(`Verifying ${this.#words}`)
    try {
      const { records } = await post('verify', this.#expected)
      card.end(true, `${there(records)}.`)
    } catch (error) {
      this.#fail(card, error)
    }
  }

  #fail(card, error) {
    if (!(error instanceof Refusal) && !(error instanceof Silence)) throw error
    const reasons = error.detail?.reasons ?? []
    // The message repeats the first reasons.
    card.end(false, reasons.length > 0 ? error.message.split('; ')[0] : error.message, reasons)
  }

  #card(title) {
    const since = element('span', { class: 'quiet' }, time(Date.now()))
    const said = element('p', {}, '…')
    const acts = element('div', { class: 'row' }, element('strong', {}, title), since)
    const node = element('article', { class: 'card check', 'data-state': 'waiting' }, acts, said)
    this.#results.prepend(node)
    while (this.#results.childElementCount > kept) this.#results.lastElementChild.remove()
    const end = (isGood, text, reasons = []) => {
      node.dataset.state = isGood === null ? 'stopped' : isGood ? 'good' : 'bad'
      replaceText(said, text)
      if (reasons.length === 0) return
      node.append(element('ul', { class: 'reasons' }, ...reasons.map(({ message, lastAt }) =>
        element('li', {}, message, lastAt ? element('span', { class: 'quiet' }, ` (last at ${time(lastAt)})`) : null))))
    }
    return { acts, since, end }
  }
}
