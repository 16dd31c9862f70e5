// Asks for the administrator's token where the server wants one.

import { byID, replaceText } from './dom.js'

export function askForToken(problem) {
  const dialog = byID('ask-token')
  const input = byID('ask-token-value')
  replaceText(byID('ask-token-problem'), problem ?? '')
  input.value = ''
  dialog.showModal()
  return new Promise(resolve => {
    // Without the token there is nothing to see.
    dialog.oncancel = event => event.preventDefault()
    byID('ask-token-form').onsubmit = event => {
      event.preventDefault()
      dialog.close()
      resolve(input.value)
    }
  })
}
