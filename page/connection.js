// The line to the server: the stream of what happens there, and what the page says while there is none.

import { Absence, abandon, listen, newSilence, reached, Refusal, Silence } from './api.js'
import { byID, replaceText } from './dom.js'
import { time } from './format.js'
import { seen } from './presence.js'

const waitMax = 5
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

export class Connection {
  isLive = false
  #take
  #heardAt = Date.now()
  /** Had the focus when its form was disabled. */
  #interrupted = null

  /** `take(name, data)` gets each event. */
  constructor(take) { this.#take = take }

  async stay() {
    let wait = 1
    while (true) {
      const error = await listen('live', (name, data) => {
        this.#heardAt = Date.now()
        if (name === 'hello') {
          wait = 1
          this.#begin()
        }
        this.#take(name, data)
      }).then(() => newSilence(), error => error)
      if (error instanceof Absence) {
        // What was missed meanwhile comes with the next hello.
        await seen()
        continue
      }
      if (!(error instanceof Silence || error instanceof Refusal)) console.error(error)
      this.#end(error)
      for (let left = wait; left > 0; left -= 1) {
        replaceText(byID('lost-again'), `Trying again in ${left} s.`)
        await pause(1_000)
      }
      replaceText(byID('lost-again'), 'Trying again now.')
      wait = Math.min(wait * 2, waitMax)
    }
  }

  #begin() {
    reached()
    this.#show('live', 'live')
    if (document.activeElement === document.body) this.#interrupted?.focus({ preventScroll: true })
    this.#interrupted = null
  }

  #end(error) {
    abandon()
    const focused = document.activeElement
    if (byID('panels').contains(focused)) this.#interrupted = focused
    this.#show('lost', 'not connected')
    byID('notice').hidden = true
    replaceText(byID('lost-why'), this.#reason(error))
  }

  #reason(error) {
    if (!(error instanceof Refusal)) return `${newSilence().message.slice(0, -1)} since ${time(this.#heardAt)}.`
    if (error.status === 403) return 'This server allows /admin from its own machine only. Start it with --admin-token to use this page from another one.'
    return `Cannot read the server's state: ${error.message}.`
  }

  #show(state, text) {
    this.isLive = state === 'live'
    document.body.dataset.link = state
    byID('link').dataset.state = state
    replaceText(byID('link'), text)
    byID('lost').hidden = this.isLive
    byID('panels').disabled = !this.isLive
  }
}
