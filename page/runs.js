// The runs of the server: which is shown, what each has, and how to begin it anew.

import { get, post, run as pageRun, Silence } from './api.js'
import { arrange, button, byID, element, option, replaceText, sureButton } from './dom.js'
import { count, duration } from './format.js'

const columns = [['devices', 'devices'], ['records', 'records'], ['requests', 'requests'], ['failed', 'failed'], ['faulted', 'hit by a fault'], ['quarantined', 'quarantined'], ['rules', 'fault rules']]
const everything = '\n'

export class RunPanel {
  #fleet
  #filter
  #picker = byID('run-picker')
  #cards = element('div', { class: 'cards', role: 'list', 'aria-label': 'Runs' })
  #none = element('p', { class: 'empty' }, 'Nothing has been sent yet.')
  #said = element('p', { class: 'said', role: 'status' })
  #nodes = new Map()
  #known = []
  #listed = []
  #membership = -1

  constructor(fleet, filter) {
    this.#fleet = fleet
    this.#filter = filter
    this.#picker.addEventListener('change', () => { filter.run = this.#picker.value === everything ? null : this.#picker.value })
    filter.addEventListener('change', () => this.#showChoice())
    byID('panel-runs').append(
      element('p', { class: 'lead' }, 'A run keeps the traffic of one test apart: uploads to /r/NAME/locations, or with X-Run-Id. Requests are counted since the start of the server.'),
      this.#said, this.#cards,
      element('div', { class: 'row end runs-all' }, sureButton(pageRun ? 'Reset this run' : 'Reset everything', 'Delete its data permanently?', () => this.#reset(pageRun ? decodeURIComponent(pageRun) : null), { class: 'danger' })))
    this.offer()
  }

  /** Runs can be chosen as soon as a device of theirs is heard of. */
  offer() {
    if (pageRun || this.#membership === this.#fleet.membership) return
    this.#membership = this.#fleet.membership
    const named = new Set([...this.#fleet.all.map(({ run }) => run), ...this.#listed, ...(this.#filter.run ? [this.#filter.run] : [])])
    named.delete('')
    const runs = [...named].sort()
    this.#picker.hidden = runs.length === 0
    if (runs.join('\n') === this.#known.join('\n') && this.#picker.options.length > 0) return
    this.#known = runs
    this.#picker.replaceChildren(option(everything, 'all runs'), option('', 'no run'), ...runs.map(run => option(run, `run ${run}`)))
    this.#showChoice()
  }

  #showChoice() {
    const wanted = this.#filter.run ?? everything
    this.#picker.value = wanted
    if (this.#picker.value !== wanted && !pageRun) {
      this.#picker.append(option(wanted, `run ${wanted}`))
      this.#picker.value = wanted
      this.#picker.hidden = false
    }
    for (const [run, { node }] of this.#nodes) node.dataset.chosen = String(run === this.#filter.run)
  }

  async load() {
    try {
      const { runs } = await get('runs')
      this.#listed = runs.map(({ run }) => run)
      this.#membership = -1
      this.offer()
      this.#nodes = new Map(runs.map(run => {
        const card = this.#nodes.get(run.run) ?? this.#card(run)
        card.update(run)
        return [run.run, card]
      }))
      arrange(this.#cards, runs.length > 0 ? [...this.#nodes.values()].map(({ node }) => node) : [this.#none])
      this.#showChoice()
    } catch (error) {
      if (!(error instanceof Silence)) this.#say(error.message, true)
    }
  }

  #card({ run }) {
    const name = run || 'no run'
    const seen = element('span', { class: 'quiet' })
    const values = columns.map(() => element('dd', {}))
    const facts = element('dl', { class: 'run-counts' }, ...columns.map(([, text], index) => element('div', {}, values[index], element('dt', {}, text))))
    const node = element('article', { class: 'card run-card', role: 'listitem', 'data-run': run },
      element('div', { class: 'row' }, element('strong', {}, name), seen,
        pageRun ? null : button('Show', () => { this.#filter.run = this.#filter.run === run ? null : run }, { 'aria-label': `Show ${name} alone, or all runs again` }),
        sureButton('Reset', `Forget ${name}?`, () => this.#reset(run), { class: 'danger', 'aria-label': `Reset ${name}` })),
      facts)
    const update = counts => {
      columns.forEach(([key], index) => replaceText(values[index], count(counts[key])))
      values[columns.findIndex(([key]) => key === 'failed')].dataset.state = counts.failed > 0 ? 'bad' : ''
      replaceText(seen, counts.lastSeen ? `${duration(this.#fleet.now - Date.parse(counts.lastSeen))} ago` : '')
    }
    return { node, update }
  }

  async #reset(run) {
    try {
      const { devices, faults } = await post('reset', undefined, run === null ? {} : pageRun ? {} : { run })
      this.#say(`${run === null ? 'Everything' : `Run ${run}`} deleted: ${devices === 1 ? '1 device' : `${count(devices)} devices`}, ${faults === 1 ? '1 fault rule' : `${count(faults)} fault rules`}.`)
    } catch (error) {
      this.#say(error.message, true)
    }
    await this.load()
  }

  #say(text, isProblem = false) {
    this.#said.className = isProblem ? 'said problem' : 'said'
    replaceText(this.#said, text)
  }
}
