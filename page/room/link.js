// The room's HTTP interface, as openapi.json has it: questions, acts, and the stream of what happens.

import { byID } from '../dom.js'

const base = new URL('run/v1/', document.baseURI)
const tokenKey = 'rollingroad-dashboard-token'
const host = new URL(document.baseURI).host

/** The run has ended, hangs, or the way to it is cut. */
export class Silence extends Error {
  constructor() { super(`No answer from ${host}: the run has ended, or hangs.`) }
}

export class Refusal extends Error {
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

let asking = null

/** Asks for the token, once however many questions wait for it. */
async function wantToken(problem) {
  asking ??= askForToken(problem).then(token => sessionStorage.setItem(tokenKey, token)).finally(() => { asking = null })
  await asking
}

function askForToken(problem) {
  const dialog = byID('ask-token')
  byID('ask-token-problem').textContent = problem
  byID('ask-token-value').value = ''
  dialog.showModal()
  return new Promise(resolve => {
    // Without the token there is nothing to steer.
    dialog.onclose = () => dialog.showModal()
    byID('ask-token-form').onsubmit = event => {
      event.preventDefault()
      dialog.onclose = null
      dialog.close()
      resolve(byID('ask-token-value').value)
    }
  })
}

async function send(method, path, { body, signal } = {}) {
  const headers = {}
  const token = sessionStorage.getItem(tokenKey)
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  let response
  try {
    response = await fetch(new URL(path, base), {
      method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch {
    throw new Silence()
  }
  if (response.ok) return response
  const { error } = await response.json().catch(() => ({}))
  if (response.status === 401) {
    await wantToken(token && sessionStorage.getItem(tokenKey) === token ? 'That was not the token.' : '')
    return send(method, path, { body, signal })
  }
  throw new Refusal(response.status, error?.code ?? '', error?.message ?? `the run answered ${response.status}`)
}

async function read(response, form) {
  try {
    return await response[form]()
  } catch {
    throw new Silence()
  }
}

export const get = async path => read(await send('GET', path), 'json')
export const getBlob = async path => read(await send('GET', path), 'blob')
export const post = async (path, body) => read(await send('POST', path, { body }), 'json')

/** The state comes at least every second: three that are missing are a silence. */
const silence = { tickMilliseconds: 250, ticks: 14 }

/** Reads the stream of events until it ends or falls silent; EventSource could not send the token. */
async function listen(take) {
  const stop = new AbortController()
  let ticks = 0
  const clock = setInterval(() => {
    ticks = asking ? 0 : ticks + 1
    if (ticks >= silence.ticks) stop.abort()
  }, silence.tickMilliseconds)
  try {
    const response = await send('GET', 'live', { signal: stop.signal })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let pending = ''
    while (true) {
      const { value, done } = await reader.read().catch(() => ({ done: true }))
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

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Listens for ever; `changed(problem)` is told when the line is lost, and with null when it is there again. */
export async function stay(take, changed) {
  for (let wait = 1; ; wait = Math.min(wait * 2, 5)) {
    let isFirst = true
    const problem = await listen((name, data) => {
      if (isFirst) changed(null)
      if (isFirst) wait = 1
      isFirst = false
      take(name, data)
    }).then(() => new Silence(), error => error)
    if (!(problem instanceof Silence || problem instanceof Refusal)) console.error(problem)
    changed(problem instanceof Refusal ? problem : new Silence())
    await pause(wait * 1_000)
  }
}
