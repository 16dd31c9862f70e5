// Asks for the administrator's token where the server wants one.

import { byID, replaceText } from './dom.js'

export function askForToken(problem) {
  const dialog = byID('ask-token')
  const input = byID('ask-token-value')
  const locked = document.getElementById('locked')
  replaceText(byID('ask-token-problem'), problem ?? '')
  input.value = ''
  const show = () => {
    if (locked) locked.hidden = true
    dialog.showModal()
  }
  show()
  return new Promise(resolve => {
    // Escape closes it, and cannot be kept from it. Without the token there is nothing to see: the page says so, and asks again
    // when it is told to. The room has nothing else to show, and asks at once.
    dialog.onclose = () => {
      if (locked) locked.hidden = false
      else dialog.showModal()
    }
    if (locked) byID('locked-ask').onclick = show
    byID('ask-token-form').onsubmit = event => {
      event.preventDefault()
      dialog.onclose = null
      dialog.close()
      resolve(input.value)
    }
  })
}
