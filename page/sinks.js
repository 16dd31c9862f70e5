// The row of what records go on to. A server that sends nothing on has none, and is not asked again.

import { get } from './api.js'
import { arrange, byID, element, replaceText } from './dom.js'
import { count, duration } from './format.js'

export class SinkRow {
  #rows = new Map()
  #isEmpty = false

  async load() {
    if (this.#isEmpty) return
    const { sinks } = await get('sinks')
    this.#isEmpty = sinks.length === 0
    byID('sinks').hidden = this.#isEmpty
    arrange(byID('sinks'), sinks.map(sink => this.#show(sink)))
  }

  #show(sink) {
    const row = this.#rows.get(sink.name) ?? element('span', { class: 'sink' })
    this.#rows.set(sink.name, row)
    const lag = sink.lag === 0 ? 'nothing waits' : `${count(sink.lag)} wait for ${duration(sink.lagSeconds * 1_000)}`
    const lost = [[sink.refused, 'refused'], [sink.lost, 'lost']].filter(([number]) => number > 0)
    // Only the server that sends knows what waits.
    const sent = sink.leads ? [`${count(sink.sent)} sent`, lag] : [`sent by ${sink.leader ?? 'another server'}`]
    const words = [...sent, ...lost.map(([number, word]) => `${count(number)} ${word}`), ...(sink.trouble ? [sink.trouble] : [])]
    replaceText(row, `${sink.name}: ${words.join(', ')}`)
    row.dataset.state = sink.trouble || sink.lost > 0 ? 'bad' : ''
    return row
  }
}
