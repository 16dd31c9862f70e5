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

/** A label around a field. */
export const field = (text, input, hint) =>
  element('label', { class: 'field' }, element('span', {}, text), input, hint ? element('small', {}, hint) : null)

export const option = (value, text = value) => element('option', { value }, text)
