extension Clause {
  /// SDK §8 to §11 and §22, in words for authors of servers.
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
      .expiryIsAhead, .noCommandsWithTokens:
      tokens
    }
  }

  private var delivery: (String, String) {
    switch self {
    case .reachable:
      (
        "the server can be reached",
        "start it, or check host, port and certificate; the device waits for ten more records, or a change of network"
      )
    case .speaksHTTP:
      ("the answer is HTTP", "something else listens at this port, or TLS is spoken where plain HTTP is expected")
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
        "the device does not follow, because that would lose the body: serve the very URL that is configured"
      )
    case .usualSuccess:
      ("success is 200, 201 or 204", "versions before 5 of the SDK know no other success; answer one of these")
    case .refusesNoRecord:
      (
        "no record is refused",
        "the device sends the same record for ever, and nothing behind it: set bad records aside and answer 200"
      )
    case .takesRepetitions:
      (
        "a record that comes again is a success",
        "it is sent again because the answer was lost: know it by its uuid, and answer 200"
      )
    case .takesTheSize:
      (
        "a body is not too large",
        "after a day without network a device sends everything at once: take 10 MB, or set maxBatchSize by setConfig"
      )
    case .queueMoves:
      (
        "the same records are not refused again and again",
        "the head of the queue blocks all that is behind it: answer 200 to get rid of it"
      )
    case .noServerError:
      ("the server does not fail", "the device keeps the records and tries with the next one, without waiting longer")
    default:
      (
        "nothing depends on Retry-After",
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
        "iOS may take one without for a failure of the network, status 0, and not refresh (RFC 9110 §15.5.2)"
      )
    case .freshTokenIsTaken:
      (
        "a token is good as soon as it was handed out",
        "the device refreshes only once for each upload: let the new token be known everywhere before you answer"
      )
    default:
      (
        "403, 406 and 410 tell the device what to do",
        "they refresh nothing and stop nothing: add {\"background_geolocation\":[[\"stop\"]]} to the body"
      )
    }
  }

  private var success: (String, String) {
    switch self {
    case .noForeignPage:
      (
        "a success is the server's own word",
        "the device has deleted the records: a login page or a proxy answered 200 with HTML; use https"
      )
    case .noErrorInSuccess:
      (
        "a success is none that reports an error",
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
