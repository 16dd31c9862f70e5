/// The SDK's requirements on a server's answers. Clauses are numbered from 1, in the order of the cases.
package enum Clause: Int, CaseIterable, Sendable {
  // Availability.
  case reachable = 1
  case speaksHTTP, wholeAnswer, inTime, quick

  // Status.
  case noRedirect, usualSuccess, refusesNoRecord, takesRepetitions, takesTheSize, queueMoves, noServerError
  case noRetryAfter

  // Authorization.
  case refreshIsPossible, challenge, freshTokenIsTaken, dismissalIsAnOrder

  // The body of a success.
  case noForeignPage, noErrorInSuccess, takesAll, isJSON, isSmall

  // Remote control.
  case commandsAtTheTop, commandsAreAList, commandsAreLists, commandNamesAreTexts, commandsAreKnown
  case argumentsFit, configurationIsUsable, authorizationIsWhole, notTooManyCommands, commandsComeOnce

  // Token refresh.
  case refreshSucceeds, refreshIsAnObject, accessTokenIsFound, oneAccessToken, tokenIsBare, expiryIsANumber
  case expiryIsAhead, tokenIsForAccess

  package var number: Int { rawValue }
}

extension Clause {
  /// The requirement on the server.
  package var rule: String { text.rule }

  /// The remedy when it is broken, and the reason.
  package var remedy: String { text.remedy }
}

extension Clause {
  /// The beginning of the detail of an answer that breaks `noRetryAfter`.
  package static func delayDetail(status: Int) -> String { "status \(status) with Retry-After: " }

  /// The SDK searches the whole answer for names (SDK §11.3), which cannot be configured.
  private static let ofTheApp =
    "No setting of the SDK chooses the key. In the app, point authorization.refreshUrl at an endpoint of your own that returns "
    + "only these, or leave refreshUrl out, refresh in the app when onHttp reports 401, and give the SDK the token with "
    + "setConfig, as authorization.accessToken"

  /// The rules of SDK §8 to §11 and §22, phrased for authors of servers.
  var text: (rule: String, remedy: String) {
    switch self {
    case .reachable, .speaksHTTP, .wholeAnswer, .inTime, .quick: delivery
    case .noRedirect, .usualSuccess, .refusesNoRecord, .takesRepetitions, .takesTheSize, .queueMoves, .noServerError,
      .noRetryAfter:
      status
    case .refreshIsPossible, .challenge, .freshTokenIsTaken, .dismissalIsAnOrder: permission
    case .noForeignPage, .noErrorInSuccess, .takesAll, .isJSON, .isSmall: success
    case .commandsAtTheTop, .commandsAreAList, .commandsAreLists, .commandNamesAreTexts, .commandsAreKnown,
      .argumentsFit, .configurationIsUsable, .authorizationIsWhole, .notTooManyCommands, .commandsComeOnce:
      commands
    case .refreshSucceeds, .refreshIsAnObject, .accessTokenIsFound, .oneAccessToken, .tokenIsBare, .expiryIsANumber,
      .expiryIsAhead, .tokenIsForAccess:
      tokens
    }
  }

  private var delivery: (String, String) {
    switch self {
    case .reachable:
      (
        "the server can be reached",
        "start it, or check host, port, proxy (HTTPS_PROXY, NO_PROXY) and certificate (CURL_CA_BUNDLE=FILE trusts its authority); the device waits for ten more records, or a change of network"
      )
    case .speaksHTTP:
      (
        "the answer is valid HTTP",
        "something else listens at this port, TLS is spoken where plain HTTP is expected, or the head of the answer or its "
          + "encoding is invalid"
      )
    case .wholeAnswer:
      (
        "the answer comes whole",
        "send all the bytes that Content-Length promises; the device keeps the records and sends them again"
      )
    case .inTime:
      (
        "the answer comes before the device gives up",
        "answer as soon as the records are stored, and work on them later"
      )
    default:
      (
        "the answer comes in less than half of the device's time limit",
        "without batchSync each record waits for the answer to the one before: store, answer, and work on them later"
      )
    }
  }

  private var status: (String, String) {
    switch self {
    case .noRedirect:
      (
        "uploads are not redirected",
        "the device does not follow redirects, which would lose the body: serve the configured URL itself"
      )
    case .usualSuccess:
      ("success is 200, 201 or 204", "the documents of version 4 of the SDK list no other success: answer one of these")
    case .refusesNoRecord:
      (
        "no record is refused",
        "the device sends the same record forever and nothing after it: to 404 and 405, see whether the URL is right; to any other status, quarantine bad records and answer 200"
      )
    case .takesRepetitions:
      (
        "a record that comes again is a success",
        "it is sent again because the answer was lost: recognize it by its uuid, and answer 200"
      )
    case .takesTheSize:
      (
        "a body is not too large",
        "after a day without network a device sends everything at once: take 10 MB, or set maxBatchSize by setConfig"
      )
    case .queueMoves:
      (
        "the same records are not refused again and again",
        BlockedQueue.remedy
      )
    case .noServerError:
      ("the server does not fail", "the device keeps the records and tries with the next one, without waiting longer")
    default:
      (
        "the server does not rely on Retry-After",
        "the device does not read it and comes back with its next record: send setConfig with a larger distanceFilter"
      )
    }
  }

  private var permission: (String, String) {
    switch self {
    case .refreshIsPossible:
      (
        "401 only goes to devices that can refresh",
        "without authorization.refreshUrl a 401 is like any other refusal: configure it, or send tokens by setConfig"
      )
    case .challenge:
      (
        "401 comes with WWW-Authenticate",
        "without it, iOS may report a network failure with status 0 and not refresh (RFC 9110 §15.5.2)"
      )
    case .freshTokenIsTaken:
      (
        "a token is valid as soon as it is issued",
        "the device refreshes only once for each upload: make the new token valid on all servers before answering"
      )
    default:
      (
        "403, 406 and 410 tell the device what to do",
        "these statuses neither refresh a token nor stop the device: add {\"background_geolocation\":[[\"stop\"]]} to the body"
      )
    }
  }

  private var success: (String, String) {
    switch self {
    case .noForeignPage:
      (
        "a success comes from the server itself",
        "the device has deleted the records: a login page or a proxy answered 200 with HTML; use https"
      )
    case .noErrorInSuccess:
      (
        "a success does not report an error",
        "the device looks at the status alone and has deleted the records: answer 500 when they are not stored"
      )
    case .takesAll:
      (
        "a success is for all records of the request",
        "the device has deleted all of them: store the rest, or set them aside; there is no success for a part"
      )
    case .isJSON:
      (
        "what is declared as JSON is JSON",
        "no command in this answer can be found; send valid JSON, or an empty body"
      )
    default:
      (
        "an answer to an upload is small",
        "it comes with every upload and costs the user's data: an empty body is enough"
      )
    }
  }
}

extension Clause {
  var commands: (String, String) {
    switch self {
    case .commandsAtTheTop:
      (
        "commands are at the top level of the answer",
        "background_geolocation is not found in a nested object or list: put it into the outermost object"
      )
    case .commandsAreAList:
      ("commands are a list", "write {\"background_geolocation\":[[\"stop\"]]}; a bare text or an object is refused")
    case .commandsAreLists:
      (
        "each command is a list of its own",
        "[\"stop\",\"start\"] is one command \"stop\" with an argument: write [[\"stop\"],[\"start\"]]"
      )
    case .commandNamesAreTexts:
      (
        "a command begins with its name",
        "commands are two lists deep, [[\"setConfig\",{…}],[\"stop\"]]; one command alone may be one list deep, [\"stop\"]"
      )
    case .commandsAreKnown: ("commands are known", "the device logs a warning and goes on with the next command")
    case .argumentsFit:
      (
        "arguments have the right type",
        "the device logs an error and does nothing; of several arguments it takes the first"
      )
    case .configurationIsUsable:
      (
        "setConfig has keys and values that the device knows",
        "the device ignores other keys and logs a warning"
      )
    case .authorizationIsWhole:
      (
        "setConfig has a complete authorization",
        "versions before 5 put the object in the place of the old one: send all of its keys"
      )
    case .notTooManyCommands:
      (
        "an answer brings at most 100 commands",
        "the device executes only the last 100: send the others with later answers"
      )
    default:
      (
        "a command comes once",
        "the same commands came with three answers in a row: take them out of the queue when they were sent"
      )
    }
  }

  var tokens: (String, String) {
    switch self {
    case .refreshSucceeds:
      (
        "a refresh is answered with 200 or 201",
        "the device asks again with every upload, two requests each time: let it log in again, or send stop. An app that passes the same tokens to ready at each launch sends the oldest refresh token again: it must keep the tokens from onAuthorization"
      )
    case .refreshIsAnObject:
      (
        "new tokens are in a JSON object",
        "answer {\"access_token\":\"…\",\"refresh_token\":\"…\",\"expires_in\":3600}; the device does not look into lists"
      )
    case .accessTokenIsFound:
      ("the access token has a name that devices look for", "call it access_token, with a text as its value")
    case .oneAccessToken:
      (
        "the answer has one candidate for the access token",
        "some versions used id_token or a nested token: return only access_token, refresh_token and expires_in. \(Clause.ofTheApp)"
      )
    case .tokenIsBare:
      (
        "a token is a bare token",
        "the device sends it in a header, after \"Bearer \" with the strategy JWT and as it is with SAS: no prefix of your own, no line break"
      )
    case .expiryIsANumber:
      ("the expiry is a number", "the device ignores it until it gets a 401: use seconds from now, such as 3600")
    case .expiryIsAhead:
      (
        "a new token does not expire at once",
        "the device refreshes before each upload: write seconds from now, or the time since 1970; it reads 0 or less as never"
      )
    default:
      (
        "the token that the device finds is an access token",
        "the device shows it to the backend as it is: return only access_token, refresh_token and expires_in (Cognito: /oauth2/token), or log in with a scope that gives an access token. \(Clause.ofTheApp)"
      )
    }
  }
}
