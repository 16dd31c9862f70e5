// What a device sent and what it got, from the journal.

import { get } from './api.js'
import { element } from './dom.js'
import { bytes, microseconds, pretty, time } from './format.js'

const shown = 20
/** Of one answer, whomever they are of. */
const looked = 10_000
const pagesAtOnce = 5

/** Goes back from the newest request of a device, for some way at a time. */
export class RequestSearch {
  found = []
  /** How many requests of all devices were looked at, at least. */
  looked = 0
  #device
  #cursor

  constructor(device) { this.#device = device }

  /** There are older ones, and not enough were found. */
  isUnfinished = true

  async goOn() {
    for (let page = 0; page < pagesAtOnce && this.isUnfinished; page += 1) {
      const answer = await get('requests', {
        run: this.#device.run, device: this.#device.name, limit: shown - this.found.length, order: 'newest', cursor: this.#cursor,
      })
      this.found.push(...answer.requests)
      this.looked += looked
      this.#cursor = answer.cursor
      this.isUnfinished = answer.cursor !== undefined && this.found.length < shown
    }
    return this
  }
}

/** One request; its head, body and answer unfold. */
export function requestElement(request) {
  const node = element('details', { class: 'request', 'data-sequence': request.sequence },
    element('summary', {},
      element('span', { class: 'status', 'data-class': `${Math.floor(request.status / 100)}xx` }, String(request.status)),
      element('span', { class: 'request-line' }, `${request.method} ${request.path}`),
      request.fault ? element('span', { class: 'tag tag-fault' }, request.fault) : null,
      element('span', { class: 'request-time' }, time(request.receivedAt))),
    element('p', { class: 'quiet' },
      `${microseconds(request.durationMicroseconds)} · sent ${bytes(request.requestBytes)} · got ${bytes(request.answerBytes)}`))
  const unfold = () => {
    if (node.childElementCount > 2) return
    node.append(
      part('Body', pretty(request.body), request.requestBytes),
      part('Answer', pretty(request.answer), request.answerBytes),
      part('Head', request.head.trim()))
  }
  node.addEventListener('toggle', unfold)
  return node
}

function part(title, text, wholeCount) {
  const isCut = wholeCount === null && text.length > 0
  return element('section', { class: 'part' }, element('h4', {}, isCut ? `${title} (its beginning)` : title),
    text ? element('pre', { tabindex: 0 }, text) : element('p', { class: 'quiet' }, 'empty, or not written down'))
}
