// Asks for the administrator's token where the server wants one.

import { byID, replaceText } from './dom.js'

export function askForToken(problem) {
  const dialog = byID('ask-token')
  const input = byID('ask-token-value')
  replaceText(byID('ask-token-problem'), problem ?? '')
  input.value = ''
  byID('locked').hidden = true
  dialog.showModal()
  return new Promise(resolve => {
    // Escape closes it, and cannot be kept from it. Without the token there is nothing to see: the page says so, and asks again
    // when it is told to.
    dialog.onclose = () => { byID('locked').hidden = false }
    byID('locked-ask').onclick = () => {
      byID('locked').hidden = true
      dialog.showModal()
    }
    byID('ask-token-form').onsubmit = event => {
      event.preventDefault()
      dialog.onclose = null
      dialog.close()
      resolve(input.value)
    }
  })
}
