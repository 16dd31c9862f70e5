// The server's administration, as openapi.json has it. Paths are relative: under /r/RUN/ the page sees that run alone.

const base = new URL('admin/v1/', document.baseURI)
const tokenKey = 'rollingroad-admin-token'

export const run = /\/r\/([^/]+)\/?$/.exec(new URL(document.baseURI).pathname)?.[1]

export class Refusal extends Error {
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

let askForToken = null
let asking = null

/** What is called when the server wants its token: it shows the problem with the last one and promises the next. */
export const onTokenWanted = ask => { askForToken = ask }

async function wantToken(problem) {
  asking ??= askForToken(problem).then(token => sessionStorage.setItem(tokenKey, token)).finally(() => { asking = null })
  await asking
}

function url(path, query = {}) {
  const target = new URL(path, base)
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') target.searchParams.set(name, value)
  return target
}

/** A piece of a path that may be any text. */
export const segment = encodeURIComponent

async function send(method, path, { query, body, signal } = {}) {
  const headers = {}
  const token = sessionStorage.getItem(tokenKey)
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(url(path, query), {
    method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body),
  })
  if (response.ok) return response
  const { error } = await response.json().catch(() => ({}))
  if (response.status === 401 && error?.code === 'admin_token_required') {
    await wantToken(token && sessionStorage.getItem(tokenKey) === token ? 'That was not the token.' : '')
    return send(method, path, { query, body, signal })
  }
  throw new Refusal(response.status, error?.code ?? '', error?.message ?? `the server answered ${response.status}`)
}

export const get = async (path, query, signal) => (await send('GET', path, { query, signal })).json()
export const getBlob = async (path, query) => (await send('GET', path, { query })).blob()
export const put = async (path, body, query) => (await send('PUT', path, { body, query })).json()
export const post = async (path, body, query) => (await send('POST', path, { body, query })).json()
export const remove = async (path, query) => (await send('DELETE', path, { query })).json()

/** Reads a stream of events to its end. EventSource could not send the token. */
export async function listen(path, take, signal) {
  const response = await send('GET', path, { signal })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let pending = ''
  while (true) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (pending + value).split('\n\n')
    pending = blocks.pop()
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (name && data) take(name, JSON.parse(data))
    }
  }
}
