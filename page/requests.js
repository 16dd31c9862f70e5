// What a device sent and what it got, from the journal.

import { get } from './api.js'
import { element } from './dom.js'
import { bytes, microseconds, pretty, time } from './format.js'

const shown = 20
/** Each looks at ten thousand requests of all devices. */
const pagesMax = 5

export async function latestRequests(device) {
  const found = []
  let cursor
  for (let page = 0; page < pagesMax && found.length < shown; page += 1) {
    const answer = await get('requests', { run: device.run, device: device.name, limit: shown - found.length, order: 'newest', cursor })
    found.push(...answer.requests)
    cursor = answer.cursor
    if (!cursor) break
  }
  return found
}

/** One request; its head, body and answer unfold. */
export function requestElement(request, isOpen) {
  const node = element('details', { class: 'request', 'data-sequence': request.sequence, open: isOpen },
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
  if (isOpen) unfold()
  return node
}

function part(title, text, wholeCount) {
  const isCut = wholeCount === null && text.length > 0
  return element('section', { class: 'part' }, element('h4', {}, isCut ? `${title} (its beginning)` : title),
    text ? element('pre', { tabindex: 0 }, text) : element('p', { class: 'quiet' }, 'empty, or not written down'))
}
