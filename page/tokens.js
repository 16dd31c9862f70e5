// Tokens: ending them, spoiling refreshes, and who registered or refreshed of late.

import { get, post, put, Silence } from './api.js'
import { button, byID, element, field, option, replaceText, sureButton } from './dom.js'
import { time } from './format.js'
import { statusElement } from './requests.js'

const modes = {
  off: 'Uploads need no token; one that this server made names its device.',
  optional: 'Uploads need no token, but a bad one is refused with 401.',
  required: 'An upload without a good token is refused with 401.',
}

const breakages = {
  'status 500': { status: 500 },
  'status 401': { status: 401 },
  'connection cut before it is stored': { drop: 'before' },
  'connection cut after it is stored': { drop: 'after' },
  'answer in camel case': { shape: 'camelCase' },
  'tokens one object deeper': { shape: 'nested' },
  'an identity token beside them': { shape: 'idToken' },
  'no tokens in the answer': { shape: 'noTokens' },
  'a page of HTML': { shape: 'notJSON' },
}

export class TokenPanel {
  #mode = element('p', { class: 'lead' })
  #said = element('p', { class: 'said', role: 'status' })
  #latest = element('ol', { class: 'ledger' })

  constructor() {
    byID('panel-tokens').append(this.#mode, this.#endForm(), this.#breakForm(), this.#said,
      element('h3', {}, 'Registrations and refreshes'), this.#latest)
  }

  describe(mode) { replaceText(this.#mode, modes[mode] ?? '') }

  async #say(action) {
    try {
      this.#said.className = 'said'
      replaceText(this.#said, await action())
    } catch (error) {
      this.#said.className = 'said problem'
      replaceText(this.#said, error.message)
    }
  }

  #endForm() {
    const device = element('input', { name: 'device', placeholder: 'all devices', autocomplete: 'off', spellcheck: 'false' })
    const end = how => this.#say(async () => {
      const { families } = await post(`tokens/${how}`, device.value ? { device: device.value } : { all: true })
      return `${families} ${families === 1 ? 'login was' : 'logins were'} ${how === 'expire' ? 'expired' : 'revoked'}.`
    })
    return element('form', { class: 'stack', onsubmit: event => event.preventDefault() }, element('h3', {}, 'End tokens'),
      field('Device', device, 'Expired access tokens can be refreshed; revoked ones cannot.'),
      element('div', { class: 'row end' }, button('Expire', () => end('expire')), sureButton('Revoke', () => device.value ? `Revoke those of ${device.value}?` : 'Revoke those of all devices?', () => end('revoke'), { class: 'danger' })))
  }

  #breakForm() {
    const how = element('select', { name: 'how' }, ...Object.keys(breakages).map(name => option(name)))
    const next = element('input', { name: 'next', type: 'number', min: 0, max: 1_000_000, required: true, value: 1 })
    const spoil = event => {
      event.preventDefault()
      this.#say(async () => {
        const answer = await put('tokens/break-refresh', { next: Number(next.value), ...breakages[how.value] })
        return answer.next === 0 ? 'Refreshes work again.' : answer.next === 1 ? 'The next refresh will fail.' : `The next ${answer.next} refreshes will fail.`
      })
    }
    return element('form', { class: 'stack', onsubmit: spoil }, element('h3', {}, 'Break refreshes'),
      element('div', { class: 'row' }, field('How', how), field('The next', next)),
      element('div', { class: 'row end' }, button('Spoil', null, { type: 'submit' })))
  }

  async load() {
    const lists = await Promise.all(['registerDevice', 'refreshToken'].map(operation =>
      get('requests', { operation, order: 'newest', limit: 20 }).catch(error => error instanceof Silence ? null : { requests: [] })))
    if (lists.includes(null)) return
    const latest = lists.flatMap(({ requests }) => requests).sort((one, other) => other.sequence - one.sequence).slice(0, 20)
    this.#latest.replaceChildren(...(latest.length > 0 ? latest.map(line) : [element('li', { class: 'quiet' }, 'None yet.')]))
  }
}

const line = request => element('li', {},
  statusElement(request.status),
  element('span', {}, `${request.operation === 'refreshToken' ? 'refresh' : 'registration'}${request.device ? ` of ${request.device}` : ''}`),
  element('span', { class: 'quiet' }, time(request.receivedAt)))
