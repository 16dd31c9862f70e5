// Elements are made here and nowhere else. Texts become text nodes: names come from strangers and are never markup.

export const byID = id => document.getElementById(id)

/** element('button', { class: 'primary', onclick: f, 'aria-label': 'x' }, 'text', otherElement, …) */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (name === 'value') made.value = value
    else made.setAttribute(name, value === true ? '' : value)
  }
  made.append(...children.filter(child => child !== null && child !== undefined))
  return made
}

export function replaceText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/** Puts these nodes into the parent, in this order, and nothing else. Those that stay are not touched: they keep the focus. */
export function arrange(parent, nodes) {
  const wanted = new Set(nodes)
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
  let next = parent.firstElementChild
  for (const node of nodes) {
    if (node === next) next = next.nextElementSibling
    else parent.insertBefore(node, next)
  }
}

export const button = (text, action, attributes = {}) =>
  element('button', { type: 'button', onclick: action, ...attributes }, text)

/** Puts what `text` returns on the clipboard, and says so for a moment. */
export function copyButton(name, text, attributes = {}) {
  const made = button(name, async event => {
    event.preventDefault()
    event.stopPropagation()
    const isCopied = await copy(text())
    replaceText(made, isCopied ? 'Copied' : 'Not allowed')
    setTimeout(() => replaceText(made, name), 1_500)
  }, { class: 'small', ...attributes })
  return made
}

/** The clipboard of scripts is there for secure pages alone; the old way is there for all. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const box = element('textarea', { value: text, class: 'hidden', 'aria-hidden': 'true' })
    const focused = document.activeElement
    document.body.append(box)
    box.select()
    const isCopied = document.execCommand('copy')
    box.remove()
    focused?.focus({ preventScroll: true })
    return isCopied
  }
}

/** A row of a table. */
export const row = (cells, tag = 'td') => element('tr', {}, ...cells.map(cell => element(tag, tag === 'th' ? { scope: 'col' } : {}, cell)))

/** A label around a field. */
export const field = (text, input, hint) =>
  element('label', { class: 'field' }, element('span', {}, text), input, hint ? element('small', {}, hint) : null)

export const option = (value, text = value) => element('option', { value }, text)

/** Does what cannot be taken back with the second click alone; the first one asks. `question` is a text, or makes one. */
export function sureButton(name, question, action, attributes = {}) {
  let clock = null
  const calm = () => {
    clearTimeout(clock)
    clock = null
    replaceText(made, name)
    made.classList.remove('asking')
    if (attributes['aria-label']) made.setAttribute('aria-label', attributes['aria-label'])
    else made.removeAttribute('aria-label')
  }
  const made = button(name, async () => {
    if (clock === null) {
      const text = typeof question === 'string' ? question : question()
      replaceText(made, text)
      made.classList.add('asking')
      made.setAttribute('aria-label', text)
      clock = setTimeout(calm, 5_000)
      return
    }
    calm()
    made.disabled = true
    await action()
    made.disabled = false
  }, attributes)
  made.addEventListener('blur', () => clock !== null && calm())
  return made
}
