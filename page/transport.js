// Questions to a server of ours and its stream of events, with a token where it wants one. The page and the control room ask alike.

import { isSeen, presence } from './presence.js'

/** The other side hangs, has ended, or the way to it is cut. What a request was to change may be changed or not. */
export class Silence extends Error {}

/** A stream has ended because the page is not looked at. */
export class Absence extends Error {}

export class Refusal extends Error {
  constructor(status, code, message, detail) {
    super(message)
    this.status = status
    this.code = code
    this.detail = detail
  }
}

export class Transport {
  /** `ticks` of the clock without an event are a silence. */
  silence
  #base
  #tokenKey
  #who
  #silent
  #askForToken
  #asking = null
  /** Ends what is asked of a server that has fallen silent. */
  #reach = new AbortController()

  /** `base` of the paths, `who` answers, `silent` is what is said when nothing does; the promise of `askForToken` gives the next token. */
  constructor({ base, tokenKey, who, silent, silence, askForToken }) {
    this.#base = base
    this.#tokenKey = tokenKey
    this.#who = who
    this.#silent = silent
    this.#askForToken = askForToken
    this.silence = silence
  }

  /** What the tab shows the server, null where that wants nothing. */
  get token() { return sessionStorage.getItem(this.#tokenKey) }

  newSilence() { return new Silence(this.#silent) }

  /** Until `reached`, every question ends with `Silence`, also those that are under way. */
  abandon() { this.#reach.abort(this.newSilence()) }
  reached() { if (this.#reach.signal.aborted) this.#reach = new AbortController() }

  /** Where a question goes. */
  url(path, query = {}) {
    const target = new URL(path, this.#base)
    for (const [name, value] of Object.entries(query)) if (value !== undefined && (value !== '' || name === 'run')) target.searchParams.set(name, value)
    return target
  }

  /** Once however many questions wait for it. */
  async #wantToken(problem) {
    this.#asking ??= this.#askForToken(problem)
      .then(token => sessionStorage.setItem(this.#tokenKey, token)).finally(() => { this.#asking = null })
    await this.#asking
  }

  /** What a browser says of a broken connection is told in one way. */
  async #orSilence(promise) {
    try {
      return await promise
    } catch (error) {
      throw error instanceof TypeError || error.name === 'AbortError' ? this.newSilence() : error
    }
  }

  async #send(method, path, { query, body, signal = this.#reach.signal } = {}) {
    const headers = {}
    const { token } = this
    if (token) headers.Authorization = `Bearer ${token}`
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    const response = await this.#orSilence(fetch(this.url(path, query), {
      method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body),
    }))
    if (response.ok) return response
    const { error } = await response.json().catch(() => ({}))
    if (response.status === 401 && error?.code?.endsWith('_token_required')) {
      await this.#wantToken(token && this.token === token ? 'Wrong token.' : '')
      return this.#send(method, path, { query, body, signal })
    }
    throw new Refusal(response.status, error?.code ?? '', error?.message ?? `the ${this.#who} answered ${response.status}`, error?.detail)
  }

  async json(method, path, options) { return this.#orSilence((await this.#send(method, path, options)).json()) }
  async blob(path, query) { return this.#orSilence((await this.#send('GET', path, { query })).blob()) }

  /**
   * Reads a stream of events to its end, until it falls silent, or until the page is not looked at. EventSource could not send the
   * token. Ticks are counted and not the time, for a page that slept or was busy has not heard what came meanwhile.
   */
  async listen(path, take) {
    const stop = new AbortController()
    const leave = () => { if (!isSeen()) stop.abort(new Absence()) }
    presence.addEventListener('change', leave)
    let ticks = 0
    const clock = setInterval(() => {
      ticks = this.#asking ? 0 : ticks + 1
      if (ticks >= this.silence.ticks) stop.abort(this.newSilence())
    }, this.silence.tickMilliseconds)
    try {
      leave()
      const response = await this.#send('GET', path, { signal: stop.signal })
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let pending = ''
      while (true) {
        const { value, done } = await this.#orSilence(reader.read())
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
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error
    } finally {
      clearInterval(clock)
      presence.removeEventListener('change', leave)
      stop.abort()
    }
  }
}
