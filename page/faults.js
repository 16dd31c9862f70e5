// What goes wrong on purpose: the rules of the server in their order, with how often each was met.

import { get, put, run as pageRun, Silence } from './api.js'
import { arrange, button, byID, element, replaceText } from './dom.js'
import { count, time } from './format.js'
import { handshakeKinds } from './fault-kinds.js'
import { everyRun, RuleForm } from './rule-form.js'

/** Lists that can be put back. */
const undoMax = 20

export class FaultPanel {
  #fleet
  #filter
  #rules = element('div', { class: 'cards', role: 'list', 'aria-label': 'Rules' })
  /** By run and id: `{ node, told, update }`. */
  #cards = new Map()
  #none = element('p', { class: 'empty' }, 'No fault is set.')
  /** About the list; it goes when the list can be read again. */
  #problem = element('p', { class: 'said problem', role: 'alert' })
  #form = new RuleForm((rule, run, edited) => this.#save(rule, run, edited))
  #runs = []
  #faults = []
  /** `{ run, rules, what }`, the latest last. */
  #past = []
  #undo = button('Undo', () => this.#goBack(), { hidden: true })

  constructor(fleet, filter) {
    this.#fleet = fleet
    this.#filter = filter
    this.#form.hideRuns()
    filter.addEventListener('change', () => this.#show(this.#faults))
    byID('panel-faults').append(
      element('p', { class: 'lead' }, 'Fault rules apply to device requests, to test how an app handles server failures. The first matching rule applies.'),
      this.#rules, element('div', { class: 'row end undo' }, this.#undo), this.#problem, this.#form.node)
    this.#show([])
  }

  /** The device for which the next rule is proposed. */
  propose(device) {
    this.#offerRuns([])
    this.#form.propose(device)
  }

  async load() {
    try {
      const { faults } = await get('faults', pageRun ? {} : { run: everyRun })
      this.#show(faults)
      replaceText(this.#problem, '')
    } catch (error) {
      if (!(error instanceof Silence)) replaceText(this.#problem, error.message)
    }
  }

  #show(faults) {
    this.#faults = faults
    const badge = byID('badge-faults')
    badge.hidden = faults.length === 0
    replaceText(badge, String(faults.length))
    this.#offerRuns(faults.map(({ run }) => run))
    const { run } = this.#filter
    const shown = faults.filter(rule => run === null || [run, everyRun].includes(rule.match.run ?? rule.run))
    const cards = new Map(shown.map((rule, index) => {
      const key = `${rule.run}\n${rule.id}`
      const told = JSON.stringify([rule.fault, rule.match, rule.enabled, rule.seed])
      const known = this.#cards.get(key)
      const card = known?.told === told ? known : { told, ...this.#card(rule) }
      card.update(rule, this.#meant(rule), { isFirst: shown[index - 1]?.run !== rule.run, isLast: shown[index + 1]?.run !== rule.run })
      return [key, card]
    }))
    this.#cards = cards
    arrange(this.#rules, cards.size > 0 ? [...cards.values()].map(({ node }) => node) : [this.#none])
  }

  #card(rule) {
    const { kind, ...settings } = rule.fault
    const said = saidOf(settings)
    const [whom, hits, matched] = [element('p', { class: 'quiet' }), element('b', {}), element('span', {})]
    const act = (text, label, action) => button(text, action, { class: 'small', 'aria-label': `${label} the fault ${rule.id}`, title: label })
    const up = act('↑', 'Move up', () => this.#move(rule, -1))
    const down = act('↓', 'Move down', () => this.#move(rule, 1))
    const node = element('article', { class: 'card', role: 'listitem', 'data-rule': rule.id, 'data-run': rule.run, 'data-enabled': String(rule.enabled) },
      element('div', { class: 'row' }, element('strong', {}, kind), element('span', { class: 'quiet' }, said),
        button('Remove', () => this.#remove(rule, node), { 'aria-label': `Remove the fault ${rule.id}` })),
      whom, element('p', { class: 'hits' }, hits, matched),
      element('div', { class: 'row card-acts' },
        act(rule.enabled ? 'Disable' : 'Enable', rule.enabled ? 'Disable' : 'Enable', () => this.#toggle(rule)),
        act('Edit', 'Edit', () => this.#form.edit(rule)), up, down))
    const update = (rule, meant, { isFirst, isLast }) => {
      replaceText(whom, meant)
      replaceText(hits, count(rule.hits))
      replaceText(matched, ` of ${count(rule.matched)} requests matched`)
      up.disabled = isFirst
      down.disabled = isLast
    }
    return { node, update }
  }

  #meant({ run, fault, match, enabled }) {
    const where = match.run ?? run
    const parts = handshakeKinds.includes(fault.kind) ? [match.host ? `handshakes for ${match.host}` : 'every handshake']
      : [match.device ? `device ${match.device}` : match.tag ? `devices tagged ${match.tag}` : 'every device']
    if (match.address) parts.push(`from ${match.address}`)
    if (match.device && match.tag) parts.push(`tagged ${match.tag}`)
    if (where === everyRun) parts.push('all runs')
    else if (where) parts.push(`run ${where}`)
    else if (this.#runs.length > 0 && !handshakeKinds.includes(fault.kind)) parts.push('no run')
    if (match.operation) parts.push(match.operation)
    if (match.share < 1) parts.push(`${Number((match.share * 100).toFixed(4))} % of the requests`)
    if (match.count) parts.push(match.count === 1 ? 'once' : `${match.count} times`)
    if (match.skip) parts.push(`after ${match.skip}`)
    if (match.from) parts.push(`from ${time(match.from)}`)
    if (match.to) parts.push(`until ${time(match.to)}`)
    if (!enabled) parts.push('disabled')
    return parts.join(' · ')
  }

  /** Those that are known; a page of one run has no choice. */
  #offerRuns(named) {
    if (pageRun) return
    const known = [...new Set([...this.#fleet.all.map(({ run }) => run), ...named])].filter(run => run !== '').sort()
    if (known.join('\n') === this.#runs.join('\n')) return
    this.#runs = known
    this.#form.offerRuns(known)
  }

  async #save(rule, run, edited) {
    const owner = edited ? edited.run : run === everyRun ? '' : run
    return this.#replace(owner, edited ? `change of ${edited.id}` : `new ${rule.fault.kind}`, rules => {
      if (!edited) return [...rules, { ...rule, id: rule.id || freeName(rule.fault.kind, rules) }]
      return rules.map(other => other.id === edited.id ? { ...rule, id: rule.id || edited.id } : other)
    })
  }

  async #remove(rule, node) {
    const next = node.nextElementSibling ?? node.previousElementSibling
    const isDone = await this.#replace(rule.run, `removal of ${rule.id}`, rules => rules.filter(({ id }) => id !== rule.id))
    if (isDone && this.#form.edited?.id === rule.id) this.#form.begin()
    if (!isDone || document.activeElement !== document.body) return
    const button = next?.querySelector('button')
    if (button) button.focus()
    else this.#form.focus()
  }

  #toggle(rule) {
    return this.#keepingFocus(rule, 'button.small', () => this.#replace(rule.run, `${rule.enabled ? 'disabling' : 'enabling'} of ${rule.id}`,
      rules => rules.map(other => other.id === rule.id ? { ...other, enabled: !other.enabled } : other)))
  }

  #move(rule, step) {
    return this.#keepingFocus(rule, `button[title="${step < 0 ? 'Move up' : 'Move down'}"]`, () => this.#replace(rule.run, `move of ${rule.id}`, rules => {
      const from = rules.findIndex(({ id }) => id === rule.id)
      const to = from + step
      if (to < 0 || to >= rules.length) return rules
      const moved = rules.toSpliced(from, 1)
      return moved.toSpliced(to, 0, rules[from])
    }))
  }

  /** The card may be another one afterwards. */
  async #keepingFocus(rule, selector, action) {
    await action()
    if (document.activeElement !== document.body) return
    const card = [...this.#rules.children].find(({ dataset }) => dataset.rule === rule.id && dataset.run === rule.run)
    const wanted = card?.querySelector(selector)
    if (wanted?.disabled === false) wanted.focus()
    else card?.querySelector('button.small')?.focus()
  }

  /** The server keeps the list of a run as a whole: it is read, changed and put back. Rules that stay keep their counts. */
  async #replace(run, what, change) {
    const query = pageRun ? {} : { run }
    try {
      const { faults } = await get('faults', query)
      const rules = faults.map(({ id, fault, match, seed, enabled }) => ({ id, fault, match, seed, enabled }))
      await put('faults', { faults: change(rules) }, { ...query, counts: 'keep' })
      if (what) this.#past.push({ run, rules, what })
    } catch (error) {
      this.#form.say(error.message.replace(/^faults\[\d+\]\.(fault\.|match\.)?/, ''))
      return false
    }
    this.#past.splice(0, this.#past.length - undoMax)
    this.#showUndo()
    this.#form.say('')
    await this.load()
    return true
  }

  async #goBack() {
    const last = this.#past.at(-1)
    if (!last) return
    if (await this.#replace(last.run, null, () => last.rules)) this.#past.pop()
    this.#showUndo()
    if (this.#undo.hidden) this.#form.focus()
  }

  #showUndo() {
    const last = this.#past.at(-1)
    this.#undo.hidden = !last
    if (last) replaceText(this.#undo, `Undo the ${last.what}`)
  }
}

function saidOf({ from, to, ...settings }) {
  const times = from === undefined ? {} : from === to ? { time: from } : { from, to }
  return Object.entries({ ...times, ...settings }).map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ')
}

function freeName(kind, rules) {
  const taken = new Set(rules.map(({ id }) => id))
  let number = 1
  while (taken.has(`${kind}-${number}`)) number += 1
  return `${kind}-${number}`
}
