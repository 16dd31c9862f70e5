// What loadtest/kits/run has Node's test runner do: KIT_TESTS tests at once, each in a run of its own.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { Road, RoadError, startServer, test } from './rollingroad.mjs'

const count = Number(process.env.KIT_TESTS ?? 200)

async function upload(road, number, accuracy = 5) {
  const digits = String(number).padStart(12, '0')
  const location = { uuid: `3f2504e0-4f89-41d3-9a0c-${digits}`, timestamp: `2026-07-28T18:34:22.${digits.slice(-3)}Z`,
    coords: { latitude: 48.1, longitude: 11.5, accuracy } }
  const answer = await fetch(`${road.url}/locations`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ location, device_id: 'phone-1' }) })
  await answer.text()
  return answer.status
}

/** What the examples of docs/kits.md call, which `run` appends: it uploads until it gets 200. */
const myApp = {
  async uploadTo(url) {
    for (let tries = 0; tries < 3; tries += 1) if (await upload({ url: url.replace(/\/locations$/, '') }, 1) === 200) return
    throw new Error('no 200')
  },
}

describe('at once', { concurrency: 200 }, () => {
  for (let number = 0; number < count; number += 1) {
    test(`a run of its own ${number}`, async road => {
      const own = number % 5 + 1
      const found = road.wait({ device: 'phone-1', where: [{ path: '$.coords.accuracy', equals: number }], atLeast: own })
      for (let n = 0; n < own; n += 1) assert.equal(await upload(road, n, number), 200)
      assert.equal((await found).found, own)
      await road.never('100ms', { where: [{ path: '$.coords.accuracy', not: number }] })
      assert.equal((await road.records('phone-1')).length, own)
      if (number % 2) {
        await road.faults({ fault: { kind: 'status', status: 503 }, match: { count: 1 } })
        assert.deepEqual([await upload(road, 9), await upload(road, 9)], [503, 200])
        await road.inOrder({ of: 'requests', status: 503 }, { of: 'requests', status: '2xx' })
      } else {
        assert.equal(await upload(road, 9), 200)
        assert.equal((await road.verify({ of: 'requests', status: 503, exactly: 0 })).found, 0)
      }
    })
  }
})

test('an error has the words of the server', async road => {
  await road.faults({ id: 'flaky', fault: { kind: 'status', status: 503 } })
  assert.equal(await upload(road, 1), 503)
  await assert.rejects(road.wait({ device: 'phone-1', timeout: '100ms', grace: '0s' }), error => {
    assert.ok(error instanceof RoadError)
    const [message, ...reasons] = error.message.split('\n  - ')
    assert.match(message, /^0 records, expected at least 1, after [0-9.]+ s \(408\)$/)
    assert.deepEqual(reasons, error.reasons)
    assert.ok(reasons.includes('1 upload of phone-1 matched the fault rule flaky (status) and got 503'))
    return error.status === 408
  })
  const missing = { device: 'phone-1', uuids: ['4a8a1d3e-0000-4000-8000-000000000000'] }
  await assert.rejects(road.verify(missing), /1 of 1 records are missing \(409\)/)
})

test('a wait has no limit but its own', async road => {
  const { fetch } = globalThis
  globalThis.fetch = () => { throw new Error('it gives up after 300 s') }
  try { assert.equal((await road.wait({ exactly: 0, timeout: '10m' })).found, 0) } finally { globalThis.fetch = fetch }
})

test('a wrong duration is named', async road => {
  for (const duration of ['soon', '10', '1.2.3s', '', 10, undefined, {}]) {
    assert.throws(() => road.never(duration), /is not a duration; write one such as '10s'/)
  }
})

test('commands and archive', async road => {
  await road.command('phone-1', ['changePace', true])
  assert.equal(await upload(road, 1), 200)
  await road.wait({ of: 'commands', device: 'phone-1', state: 'sent' })
  assert.deepEqual((await road.har()).log.entries.map(entry => entry._device), ['phone-1'])
  assert.deepEqual((await road.requests({ device: 'phone-1' })).map(request => request.status), [200])
  assert.equal((await road.expireTokens('phone-1')).families, 0)
})

test('of an unknown device there is nothing', async road => {
  assert.deepEqual([await road.records('phone-1'), await road.requests({ device: 'phone-1' })], [[], []])
  await assert.rejects(new Road(road.url.replace('/r/', '/elsewhere/r/')).records('phone-1'), /404/)
})

test('a program that is not there is named', async () => {
  await assert.rejects(startServer({ ROLLINGROAD: '/nowhere/rollingroad' }), { message: 'ROLLINGROAD=/nowhere/rollingroad cannot be started: ENOENT' })
})
