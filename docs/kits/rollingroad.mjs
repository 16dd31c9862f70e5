// Rolling Road for Node's test runner: copy this file beside your tests.
//
//   import { test } from './rollingroad.mjs'
//   test('an upload arrives', async road => { await myApp.uploadTo(road.url + '/locations')
//     await road.wait({ device: 'phone-1', atLeast: 1 }) })
//
// The server is the one of ROLLINGROAD_URL, or one that is started for the process: the image of ROLLINGROAD_IMAGE, or the
// executable of ROLLINGROAD, or `rollingroad` in the PATH. ROLLINGROAD_ADMIN_TOKEN is its token. Each test has a run of its own,
// so that tests in parallel see nothing of each other. Node 18 or newer; nothing else.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { createInterface } from 'node:readline'
import { after, test as nodeTest } from 'node:test'

/** What the server says of a failed wait or check; `reasons` are its near misses. */
export class RoadError extends Error {
  constructor(status, error) {
    const reasons = (error.detail?.reasons ?? []).map(reason => reason.message)
    // The message ends with the first of them.
    const message = (error.message ?? 'no message').split(reasons.length ? `; ${reasons[0]}` : undefined)[0]
    super([`${message} (${status})`, ...reasons].join('\n  - '))
    Object.assign(this, { name: 'RoadError', status, code: error.code, detail: error.detail, reasons })
  }
}

/** One run on a server. Let the app upload to `url` + '/locations'. */
export class Road {
  constructor(server, token, run = `test-${randomUUID().slice(0, 18)}`) {
    this.token = token
    this.run = run
    this.url = `${server.replace(/\/$/, '')}/r/${encodeURIComponent(run)}`
  }

  /** Until what is expected is there; the keys are those of POST await: device, atLeast, exactly, of, where, inOrder, … */
  wait(expected = {}) {
    return this.send('POST', 'await', { timeout: '10s', ...(expected.uuids ? {} : { grace: '1s' }), ...expected })
  }

  /** Nothing of the kind may be there, or come within this time, such as '2s'. */
  never(within, expected = {}) {
    return this.wait({ timeout: `${seconds(within) + 10}s`, exactly: 0, holds: within, ...expected })
  }

  /** One expectation after the other. */
  inOrder(...steps) { return this.wait({ inOrder: steps }) }

  /** What is there now; records whose uuids are named have to be stored. */
  async verify(expected) {
    const answer = await this.send('POST', 'verify', expected)
    if (!answer.missing) return answer
    throw new RoadError(409, { message: `${answer.missing} of ${answer.asked} records are missing`, detail: answer })
  }

  /** Rules such as { fault: { kind: 'status', status: 503 }, match: { count: 2 } }, for this run. */
  faults(...rules) {
    return this.send('PUT', 'faults', { faults: rules.map((rule, index) => ({ id: `fault-${index + 1}`, ...rule })) })
  }

  /** Queues commands such as ['changePace', true]; they go out with the next answer to the device. */
  command(device, ...commands) { return this.send('POST', `devices/${encodeURIComponent(device)}/commands`, { commands }) }

  expireTokens(device) { return this.send('POST', 'tokens/expire', device ? { device } : { run: this.run }) }

  /** The records of a device as they were sent; none of a device that has stored nothing. */
  async records(device) {
    try {
      return lines(await this.read('GET', `devices/${encodeURIComponent(device)}/locations?format=ndjson`)).map(line => line.record)
    } catch (error) {
      if (error.code === 'unknown_device') return []
      throw error
    }
  }

  /** What devices sent, from the journal: { status: '5xx', device: 'phone-1' }, … */
  async requests(filters = {}) {
    return lines(await this.read('GET', `requests?${new URLSearchParams({ ...filters, format: 'ndjson' })}`))
  }

  /** The requests of this run as HTTP Archive, for a file beside a failed test. */
  har() { return this.send('GET', 'requests?format=har') }

  /** Forgets the run: records, requests, commands and faults. */
  async reset() {
    await this.send('DELETE', 'faults')
    await this.send('POST', 'reset')
  }

  async send(method, path, body) {
    const text = await this.read(method, path, body)
    return text ? JSON.parse(text) : null
  }

  async read(method, path, body) {
    const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {}
    const { status, text } = await exchange(`${this.url}/admin/v1/${path}`, { method, headers }, body && JSON.stringify(body))
    if (status >= 200 && status < 300) return text
    let error = { message: text.slice(0, 500) }
    try { error = JSON.parse(text).error ?? error } catch { /* no JSON: the text says it */ }
    throw new RoadError(status, error)
  }
}

/** `fetch` gives up after 300 seconds without the head of an answer, and a wait may last longer. */
function exchange(url, options, body) {
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, async answer => {
      try {
        let text = ''
        for await (const piece of answer.setEncoding('utf8')) text += piece
        resolve({ status: answer.statusCode, text })
      } catch (error) { reject(error) }
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

const lines = text => text.split('\n').filter(Boolean).map(line => JSON.parse(line))

function seconds(duration) {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(duration)
  if (!match) throw new TypeError(`${JSON.stringify(duration)} is not a duration; write one such as '10s' (ms, s, m, h)`)
  const [, number, unit] = match
  return number * { ms: 0.001, s: 1, m: 60, h: 3600 }[unit]
}

/** The address and the token of a server, and what ends it. */
export async function startServer(env = process.env) {
  if (env.ROLLINGROAD_URL) return { url: env.ROLLINGROAD_URL, token: env.ROLLINGROAD_ADMIN_TOKEN, stop: async () => {} }
  if (env.ROLLINGROAD_IMAGE) return startContainer(env)
  const program = env.ROLLINGROAD ?? 'rollingroad'
  const clean = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ROLLINGROAD_')))
  const words = ['serve', '--listen', '127.0.0.1:0', '--data', ':memory:']
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'], env: clean })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const url = await new Promise((resolve, reject) => {
    child.once('error', error => {
      const named = env.ROLLINGROAD === undefined ? `${program}, as ROLLINGROAD is not set,` : `ROLLINGROAD=${program}`
      reject(new Error(`${named} cannot be started: ${error.code}`))
    })
    child.once('exit', code => reject(new Error(`${program} ${words.join(' ')} ended with ${code}`)))
    createInterface({ input: child.stdout }).once('line', line => resolve(line.split(' ')[1]))
  })
  child.unref()
  child.stdout.unref()
  return { url, stop: () => { child.kill('SIGTERM'); return ended } }
}

async function startContainer(env) {
  const token = env.ROLLINGROAD_ADMIN_TOKEN ?? randomUUID()
  const engine = env.ROLLINGROAD_ENGINE ?? 'docker'
  const name = `rollingroad-${randomUUID().slice(0, 13)}`
  execFileSync(engine, ['run', '--detach', '--rm', '--name', name, '--publish', '127.0.0.1::8080',
    '--env', `ROLLINGROAD_ADMIN_TOKEN=${token}`, '--env', 'ROLLINGROAD_DATA=:memory:', env.ROLLINGROAD_IMAGE])
  const stop = async () => { execFileSync(engine, ['rm', '--force', name]) }
  const port = execFileSync(engine, ['port', name, '8080']).toString().trim().split('\n')[0].split(':').pop()
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 300; tries += 1) {
    try { if ((await fetch(`${url}/readyz`)).ok) return { url, token, stop } } catch { /* not yet */ }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await stop()
  throw new Error(`no server at ${url}`)
}

let server

/** A test of Node's runner whose function gets a run of its own, forgotten after it. Options are those of `node:test`. */
export function test(name, options, body = options) {
  const ownOptions = body === options ? {} : options
  return nodeTest(name, ownOptions, async context => {
    server ??= startServer()
    const { url, token } = await server
    const road = new Road(url, token)
    try { await body(road, context) } finally { await road.reset() }
  })
}

after(async () => { if (server) await (await server).stop() })
