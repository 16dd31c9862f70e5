// The server's administration, as openapi.json has it. Paths are relative: under /r/RUN/ the page sees that run alone.

import { askForToken } from './access.js'
import { Transport } from './transport.js'

export { Absence, Refusal, Silence } from './transport.js'

export const run = /\/r\/([^/]+)\/?$/.exec(new URL(document.baseURI).pathname)?.[1]

/** The figures come every second: three that are missing are a silence. */
export const silence = { tickMilliseconds: 250, ticks: 11 }

const transport = new Transport({
  base: new URL('admin/v1/', document.baseURI), tokenKey: 'rollingroad-admin-token', who: 'server',
  silent: `No answer from ${new URL(document.baseURI).host}.`, silence, askForToken,
})

export const shownToken = () => transport.token
/** Where a question to the administration goes. */
export const adminURL = (path, query) => transport.url(path, query)

export const newSilence = () => transport.newSilence()
export const abandon = () => transport.abandon()
export const reached = () => transport.reached()

/** A piece of a path that may be any text. */
export const segment = encodeURIComponent

export const get = (path, query) => transport.json('GET', path, { query })
export const put = (path, body, query) => transport.json('PUT', path, { body, query })
export const post = (path, body, query) => transport.json('POST', path, { body, query })
export const remove = (path, query) => transport.json('DELETE', path, { query })
/** Asks until the signal ends it, whatever becomes of the stream. */
export const waitFor = (path, body, query, signal) => transport.json('POST', path, { body, query, signal })
export const getBlob = (path, query) => transport.blob(path, query)
export const listen = (path, take) => transport.listen(path, take)

/** Saves what the server answers as a file. */
export async function download(path, query, name) {
  const file = URL.createObjectURL(await getBlob(path, query))
  const link = document.createElement('a')
  link.href = file
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(file), 10_000)
}
