/// What the person at the phone can do.
package enum DriveKey: String, CaseIterable, Sendable {
  case walk, cycle, drive, stop, tunnel
  case airplane, wifi, cellular
  case kill, launch, reboot, home, screen
  case track, pace, sync, geofence, battery
  case expand, clauses, help, quit

  /// The key on the keyboard.
  package var letter: Character {
    switch self {
    case .walk: "w"
    case .cycle: "c"
    case .drive: "d"
    case .stop: "s"
    case .tunnel: "t"
    case .airplane: "a"
    case .wifi: "i"
    case .cellular: "m"
    case .kill: "k"
    case .launch: "l"
    case .reboot: "r"
    case .home: "h"
    case .screen: "z"
    case .track: "o"
    case .pace: "p"
    case .sync: "y"
    case .geofence: "g"
    case .battery: "b"
    case .expand: "e"
    case .clauses: "v"
    case .help: "?"
    case .quit: "q"
    }
  }

  /// What it does, in a few words.
  package var help: String {
    switch self {
    case .walk: "walk along streets"
    case .cycle: "take the bicycle"
    case .drive: "drive a car through a town"
    case .stop: "stop here"
    case .tunnel: "into a tunnel: neither GPS nor network; again: out of it"
    case .airplane: "airplane mode on or off"
    case .wifi: "a wireless network"
    case .cellular: "the mobile network"
    case .kill: "swipe the app away"
    case .launch: "open the app again"
    case .reboot: "restart the phone"
    case .home: "the app goes to the background, or comes back"
    case .screen: "the screen goes dark, or lights up"
    case .track: "stop or start tracking"
    case .pace: "changePace: say that the phone moves, or that it does not"
    case .sync: "upload now"
    case .geofence: "a geofence of 200 m around here"
    case .battery: "ten per cent less battery; empty: into the charger"
    case .expand: "the last request and its answer, all of it"
    case .clauses: "what the server keeps and breaks so far"
    case .help: "these keys"
    case .quit: "the end, with what was found"
    }
  }

  package init?(letter: Character) {
    guard let key = DriveKey.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = key
  }

  /// A letter or a word.
  init?(word: String) {
    if let letter = word.first, word.count == 1 { self.init(letter: letter) } else { self.init(rawValue: word) }
  }

  /// For the help of the command and of the terminal.
  package static var table: String {
    allCases.map { key in
      "  \(key.letter)  \(key.rawValue)\(String(repeating: " ", count: 10 - key.rawValue.count))\(key.help)"
    }.joined(separator: "\n")
  }
}
