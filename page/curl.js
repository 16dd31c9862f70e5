// Requests as lines for a shell.

import { adminURL, shownToken } from './api.js'

/** A word in single quotes, in which a shell changes nothing. */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

/** What curl writes itself, and what was true of one connection alone. */
const ownFields = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'keep-alive', 'user-agent', 'accept'])

/** A request of the journal. Where a secret stood there is a variable of the shell: the journal does not keep it. */
export function curlOf({ method, path, head, body }) {
  const words = ['curl', '-sS', '-i', '-X', method, quoted(new URL(path, location.origin).href)]
  for (const line of head.split('\n')) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    if (!name || ownFields.has(name.toLowerCase())) continue
    words.push('-H', value === '(secret)' ? `"${name}: $TOKEN"` : quoted(`${name}: ${value}`))
  }
  if (body !== '') words.push('--data-binary', quoted(body))
  return words.join(' ')
}

/** A question to the administration. */
export function curlTo(method, path, query, body) {
  const words = ['curl', '-sS', '--fail-with-body', '-X', method, quoted(adminURL(path, query).href)]
  const token = shownToken()
  if (token) words.push('-H', quoted(`Authorization: Bearer ${token}`))
  if (body !== undefined) words.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)))
  return words.join(' ')
}
