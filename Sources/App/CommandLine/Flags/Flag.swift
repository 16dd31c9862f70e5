/// One `--name` of a command: what it takes, what it means, and where else its value may come from.
struct Flag: Sendable {
  enum Kind: Sendable {
    /// Present or not; takes no value on the command line, `true` or `false` in the environment.
    case toggle
    /// Takes one value; the word stands in the help in place of the value.
    case value(placeholder: String)
  }

  let name: String
  let kind: Kind
  let help: String
  /// What holds when nobody says anything, as one would type it; nil when nothing does.
  let standard: String?
  /// A secret may also be read from the file that `…_FILE` names, so that it stands in no process list.
  let isSecret: Bool
  /// It may stand several times; each value counts.
  var isRepeatable = false

  static func value(
    _ name: String, _ placeholder: String, _ help: String, standard: String? = nil, isSecret: Bool = false
  ) -> Flag {
    Flag(name: name, kind: .value(placeholder: placeholder), help: help, standard: standard, isSecret: isSecret)
  }

  /// May stand several times.
  static func values(_ name: String, _ placeholder: String, _ help: String) -> Flag {
    var flag = value(name, placeholder, help + "; may stand several times")
    flag.isRepeatable = true
    return flag
  }

  static func toggle(_ name: String, _ help: String) -> Flag {
    Flag(name: name, kind: .toggle, help: help, standard: nil, isSecret: false)
  }

  /// `--admin-token` is `ROLLINGROAD_ADMIN_TOKEN`.
  var environmentName: String {
    Flag.environmentPrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  static let environmentPrefix = "ROLLINGROAD_"
  static let fileSuffix = "_FILE"
}
