// Every kind of fault, as the server knows it.

const whole = (value, min, max) => ({ value, type: 'number', min, max, step: 1 })
const choice = (...choices) => ({ value: choices[0], choices })
const text = value => ({ value, type: 'text', autocomplete: 'off', spellcheck: 'false' })

/** Every kind of fault: what it does, and its settings as fields with a value to begin from. */
export const kinds = {
  status: ['stores nothing and answers with a status', { status: whole(500, 200, 599) }],
  refuse: ['answers before the body is read; stores nothing', { status: whole(503, 200, 599) }],
  reset: ['resets the connection before the body is read', {}],
  delay: ['waits, then goes on as usual', { time: text('2s') }],
  portal: ['answers 200 with a page of HTML and stores nothing', {}],
  redirect: ['sends the client elsewhere', { status: whole(302, 300, 399), location: text('http://localhost/login') }],
  pretend: ['acknowledges everything and stores nothing', {}],
  prefix: ['stores the first records and acknowledges all', { records: whole(1, 0) }],
  drop: ['stores, and closes without an answer', {}],
  cut: ['stores, and cuts the answer after some bytes', { bytes: whole(20, 0) }],
  delayAfterCommit: ['stores, and answers late', { time: text('5s') }],
  dribble: ['stores, and answers in small pieces', { bytes: whole(1, 1), every: text('1s') }],
  malformed: ['stores, and answers with invalid JSON', {}],
  wrongLength: ['stores, and announces a wrong length', { by: whole(10, -65_536, 65_536) }],
  empty: ['stores, and answers 200 without content', {}],
  replace: ['stores, and answers with another status', { status: whole(500, 200, 599) }],
  certificate: ['TLS: shows a certificate that is wrong', {
    problem: choice('expired', 'notYetValid', 'wrongHost', 'unknownAuthority', 'revoked', 'changed'),
  }],
  cutHandshake: ['TLS: resets the connection in the handshake', {}],
  slowHandshake: ['TLS: waits in the handshake, then goes on', { time: text('5s') }],
}

/** Those that meet handshakes of TLS, in which neither device nor run is known. */
export const handshakeKinds = ['certificate', 'cutHandshake', 'slowHandshake']

export const operations = ['uploadLocations', 'registerDevice', 'refreshToken', 'uploadDeviceLog']
