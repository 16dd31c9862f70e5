// The server's administration, as openapi.json has it. Paths are relative: under /r/RUN/ the page sees that run alone.

const base = new URL('admin/v1/', document.baseURI)
const tokenKey = 'rollingroad-admin-token'

export const run = /\/r\/([^/]+)\/?$/.exec(new URL(document.baseURI).pathname)?.[1]

const host = new URL(document.baseURI).host

/** The server hangs, has ended, or the way to it is cut. What a request was to change may be changed or not. */
export class Silence extends Error {
  constructor() { super(`No answer from ${host}.`) }
}

export class Refusal extends Error {
  constructor(status, code, message, detail) {
    super(message)
    this.status = status
    this.code = code
    this.detail = detail
  }
}

/** What the tab shows the server, null where that wants nothing. */
export const shownToken = () => sessionStorage.getItem(tokenKey)

let askForToken = null
let asking = null

/** What is called when the server wants its token: it shows the problem with the last one and promises the next. */
export const onTokenWanted = ask => { askForToken = ask }

async function wantToken(problem) {
  asking ??= askForToken(problem).then(token => sessionStorage.setItem(tokenKey, token)).finally(() => { asking = null })
  await asking
}

/** Where a question to the administration goes. */
export function adminURL(path, query = {}) {
  const target = new URL(path, base)
  for (const [name, value] of Object.entries(query)) if (value !== undefined && (value !== '' || name === 'run')) target.searchParams.set(name, value)
  return target
}

/** A piece of a path that may be any text. */
export const segment = encodeURIComponent

/** Asks until the signal ends it, whatever becomes of the stream. */
export const waitFor = async (path, body, query, signal) => orSilence((await send('POST', path, { body, query, signal })).json())

/** Saves what the server answers as a file. */
export async function download(path, query, name) {
  const file = URL.createObjectURL(await getBlob(path, query))
  const link = document.createElement('a')
  link.href = file
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(file), 10_000)
}

/** Ends what is asked of a server that has fallen silent. */
let reach = new AbortController()

/** Until `reached`, every question ends with `Silence`, also those that are under way. */
export const abandon = () => reach.abort(new Silence())
export const reached = () => { if (reach.signal.aborted) reach = new AbortController() }

/** What a browser says of a broken connection is told in one way. */
async function orSilence(promise) {
  try {
    return await promise
  } catch (error) {
    throw error instanceof TypeError || error.name === 'AbortError' ? new Silence() : error
  }
}

async function send(method, path, { query, body, signal = reach.signal } = {}) {
  const headers = {}
  const token = shownToken()
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await orSilence(fetch(adminURL(path, query), {
    method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body),
  }))
  if (response.ok) return response
  const { error } = await response.json().catch(() => ({}))
  if (response.status === 401 && error?.code === 'admin_token_required') {
    await wantToken(token && shownToken() === token ? 'That was not the token.' : '')
    return send(method, path, { query, body, signal })
  }
  throw new Refusal(response.status, error?.code ?? '', error?.message ?? `the server answered ${response.status}`, error?.detail)
}

const ask = async (...request) => orSilence((await send(...request)).json())
export const get = (path, query) => ask('GET', path, { query })
export const getBlob = async (path, query) => orSilence((await send('GET', path, { query })).blob())
export const put = (path, body, query) => ask('PUT', path, { body, query })
export const post = (path, body, query) => ask('POST', path, { body, query })
export const remove = (path, query) => ask('DELETE', path, { query })

/** The figures come every second: three that are missing are a silence. */
export const silence = { tickMilliseconds: 250, ticks: 11 }

/**
 * Reads a stream of events to its end, or until it falls silent. EventSource could not send the token. Ticks are counted and
 * not the time, for a page that slept or was busy has not heard what came meanwhile.
 */
export async function listen(path, take) {
  const stop = new AbortController()
  let ticks = 0
  const clock = setInterval(() => {
    ticks = asking ? 0 : ticks + 1
    if (ticks >= silence.ticks) stop.abort(new Silence())
  }, silence.tickMilliseconds)
  try {
    const response = await send('GET', path, { signal: stop.signal })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let pending = ''
    while (true) {
      const { value, done } = await orSilence(reader.read())
      if (done) return
      ticks = 0
      const blocks = (pending + value).split('\n\n')
      pending = blocks.pop()
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block)?.[1]
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (name && data) take(name, JSON.parse(data))
      }
    }
  } finally {
    clearInterval(clock)
    stop.abort()
  }
}
