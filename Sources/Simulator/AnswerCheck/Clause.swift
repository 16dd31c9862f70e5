/// What the SDK needs of a server's answers, rule by rule. The numbers are those of the cases in their order, from 1.
package enum Clause: Int, CaseIterable, Sendable {
  // Whether an answer comes.
  case reachable = 1
  case speaksHTTP, wholeAnswer, inTime, quick

  // What the status says.
  case noRedirect, usualSuccess, refusesNoRecord, takesRepetitions, takesTheSize, queueMoves, noServerError
  case noRetryAfter

  // Who may upload.
  case refreshIsPossible, challenge, freshTokenIsTaken, dismissalIsAnOrder

  // What a success says.
  case noForeignPage, noErrorInSuccess, takesAll, isJSON, isSmall

  // Remote control.
  case commandsAtTheTop, commandsAreAList, commandsAreLists, commandNamesAreTexts, commandsAreKnown
  case argumentsFit, configurationIsUsable, authorizationIsWhole, notTooManyCommands, commandsComeOnce

  // New tokens.
  case refreshSucceeds, refreshIsAnObject, accessTokenIsFound, oneAccessToken, tokenIsBare, expiryIsANumber
  case expiryIsAhead, noCommandsWithTokens

  package var number: Int { rawValue }
}

extension Clause {
  /// What is asked of the server.
  package var rule: String { text.rule }

  /// What to do when it is broken, and why.
  package var remedy: String { text.remedy }
}
