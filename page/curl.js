// Requests as lines for a shell.

import { adminURL, shownToken } from './api.js'

/** A word in single quotes, in which a shell changes nothing. */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

/** What curl writes itself, and what was true of one connection alone. */
const ownFields = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'keep-alive', 'user-agent', 'accept'])

/** On this server: a target such as `//host/` or `http://host/` names another one (RFC 9112 §3.2). */
function here(path) {
  if (path.startsWith('/')) return new URL(location.origin + path).href
  const { pathname, search } = new URL(path, location.origin)
  return location.origin + pathname + search
}

/**
 * A request of the journal. Where a secret stood there is a variable of the shell: the journal does not keep it. All the rest is a
 * stranger's: no part of it is a command, the name of a file, or a pattern of URLs.
 */
export function curlOf({ method, path, head, body }) {
  const words = ['curl', '-sS', '-i', '-g', '-X', quoted(method), quoted(here(path))]
  for (const line of head.split('\n')) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    if (!name || ownFields.has(name.toLowerCase())) continue
    words.push('-H', value === '(secret)' ? `${quoted(`${name}: `)}"$TOKEN"` : quoted(`${name}: ${value}`))
  }
  if (body !== '') words.push('--data-raw', quoted(body))
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
