extension Clause {
  var commands: (String, String) {
    switch self {
    case .commandsAtTheTop:
      (
        "commands stand at the top of the answer",
        "nested in another object, or in a list, background_geolocation is not found: put it into the outermost object"
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
        "commands are two lists deep, not more and not less: [[\"setConfig\",{…}],[\"stop\"]]"
      )
    case .commandsAreKnown: ("commands are known", "the device logs a warning and goes on with the next command")
    case .argumentsFit: ("arguments have the right type", "the device logs an error and does nothing")
    case .configurationIsUsable:
      (
        "setConfig says what the device understands",
        "what it does not understand is left out with a warning in its log"
      )
    case .authorizationIsWhole:
      (
        "setConfig brings a whole authorization",
        "versions before 5 put the object in the place of the old one: send all of its keys"
      )
    case .notTooManyCommands:
      (
        "an answer brings at most 100 commands",
        "the device carries out the last 100: send the others with later answers"
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
        "the device asks again with every upload, two requests each time: let it log in again, or send stop"
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
        "there is one candidate for the access token",
        "some versions took id_token, or a token that stands deeper: return access_token and refresh_token alone"
      )
    case .tokenIsBare:
      (
        "a token is a bare token",
        "the device sends it in a header, after \"Bearer \" with the strategy JWT and as it is with SAS: no prefix of your own, no line break"
      )
    case .expiryIsANumber:
      ("the expiry is a number", "the device ignores it and finds out by a 401: write seconds from now, 3600")
    case .expiryIsAhead:
      (
        "a new token is good for a while",
        "the device refreshes before each upload: write seconds from now, or the time since 1970"
      )
    default:
      ("commands do not come with tokens", "the device looks for none in this answer: send them with one to an upload")
    }
  }
}
