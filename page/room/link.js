// The room's HTTP interface, as openapi.json has it: questions, acts, and the stream of what happens.

import { askForToken } from '../access.js'
import { seen } from '../presence.js'
import { Absence, Refusal, Silence, Transport } from '../transport.js'

export { Refusal, Silence } from '../transport.js'

const transport = new Transport({
  base: new URL('run/v1/', document.baseURI), tokenKey: 'rollingroad-dashboard-token', who: 'run',
  silent: `No answer from ${new URL(document.baseURI).host}: the run has ended, or hangs.`,
  // The state comes at least every second: three that are missing are a silence.
  silence: { tickMilliseconds: 250, ticks: 14 }, askForToken,
})

export const get = path => transport.json('GET', path)
export const getBlob = path => transport.blob(path)
export const post = (path, body) => transport.json('POST', path, { body })

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

/** Listens for ever; `changed(problem)` is told when the line is lost, and with null when it is there again. */
export async function stay(take, changed) {
  let wait = 1
  while (true) {
    let isFirst = true
    const problem = await transport.listen('live', (name, data) => {
      if (isFirst) changed(null)
      if (isFirst) wait = 1
      isFirst = false
      take(name, data)
    }).then(() => transport.newSilence(), error => error)
    if (problem instanceof Absence) {
      await seen()
      continue
    }
    if (!(problem instanceof Silence || problem instanceof Refusal)) console.error(problem)
    changed(problem instanceof Refusal ? problem : transport.newSilence())
    await pause(wait * 1_000)
    wait = Math.min(wait * 2, 5)
  }
}
