// What devices sent and what they got, from the journal.

import { get } from './api.js'
import { curlOf } from './curl.js'
import { copyButton, element } from './dom.js'
import { bytes, count, microseconds, pretty, time } from './format.js'

const shown = 20
/** Of one answer, of whatever device. */
export const looked = 10_000
const pagesAtOnce = 5

/** Goes back from the newest request that matches, for some way at a time. */
export class RequestSearch {
  found = []
  /** How many requests of all devices were looked at, at least. */
  looked = 0
  #query
  #wanted
  #cursor

  constructor(query, wanted = shown) {
    this.#query = query
    this.#wanted = wanted
  }

  /** There are older ones, and not enough were found. */
  isUnfinished = true
  /** There are older ones. */
  get hasMore() { return this.#cursor !== undefined || this.isUnfinished }

  async goOn() {
    for (let page = 0; page < pagesAtOnce && this.isUnfinished; page += 1) {
      const answer = await get('requests', {
        ...this.#query, limit: this.#wanted - this.found.length, order: 'newest', cursor: this.#cursor,
      })
      this.found.push(...answer.requests)
      this.looked += looked
      this.#cursor = answer.cursor
      this.isUnfinished = answer.cursor !== undefined && this.found.length < this.#wanted
    }
    return this
  }

  /** So many more are wanted. */
  more(number) {
    this.#wanted += number
    this.isUnfinished = this.#cursor !== undefined
    return this.goOn()
  }
}

const parsed = text => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How many records an upload had: as the answer says, else as the body does; null where neither can tell. */
export function recordsOf({ operation, answer, body, requestBytes }) {
  if (operation !== 'uploadLocations') return null
  const receipt = parsed(answer)
  if (Number.isInteger(receipt?.accepted)) return receipt.accepted + (receipt.duplicate ?? 0) + (receipt.quarantined ?? 0)
  if (requestBytes === null || body === '') return null
  const sent = parsed(body)
  if (sent === undefined) return null
  const list = Array.isArray(sent) ? sent : sent?.location ?? sent
  return Array.isArray(list) ? list.length : 1
}

/** One request; its head, body and answer unfold. With its device where the list is one of many. */
export function requestElement(request, { isOfMany = false } = {}) {
  const records = recordsOf(request)
  const figure = (name, text) => element('span', { class: `request-figure request-${name}` }, text)
  const whose = request.run ? `${request.run} / ${request.device ?? 'no device'}` : request.device ?? 'no device'
  const node = element('details', { class: 'request', 'data-sequence': request.sequence },
    element('summary', {},
      statusElement(request.status),
      isOfMany ? element('span', { class: 'request-device', title: whose }, whose) : null,
      element('span', { class: 'request-line', title: request.path }, `${request.method} ${request.path}`),
      request.fault ? element('span', { class: 'tag tag-fault' }, request.fault) : null,
      element('span', { class: 'request-figures' },
        figure('records', records === null ? '' : records === 1 ? '1 record' : `${count(records)} records`),
        figure('duration', microseconds(request.durationMicroseconds)),
        figure('bytes', `${bytes(request.requestBytes)} → ${bytes(request.answerBytes)}`)),
      element('span', { class: 'request-time' }, time(request.receivedAt))))
  node.addEventListener('toggle', () => {
    if (node.childElementCount > 1) return
    node.append(
      element('div', { class: 'row request-acts' },
        element('p', { class: 'quiet' }, `Request ${request.sequence}, ${request.operation ?? 'unknown path'}`),
        copyButton('Copy as curl', () => curlOf(request))),
      part('Body', pretty(request.body), request.requestBytes),
      part('Answer', pretty(request.answer), request.answerBytes),
      part('Head', request.head.trim()))
  })
  return node
}

export const statusElement = status =>
  element('span', { class: 'status', 'data-class': `${Math.floor(status / 100)}xx` }, String(status))

function part(title, text, wholeCount) {
  const isCut = wholeCount === null && text.length > 0
  return element('section', { class: 'part' }, element('h4', {}, isCut ? `${title} (its beginning)` : title),
    text ? element('pre', { tabindex: 0 }, text) : element('p', { class: 'quiet' }, 'empty, or not recorded'))
}
