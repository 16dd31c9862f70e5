import Engine
import FoundationEssentials

/// The time zone of the machine, found as the C library finds it (tzset(3)).
enum MachineZone {
  /// UTC when the machine does not say. Read once for each platform: a machine that is moved is asked again by the next.
  static var current: ZoneRules {
    guard let variable = ProcessInfo.processInfo.environment["TZ"] else {
      return rules(ofFile: "/etc/localtime") ?? .utc
    }
    return variable.isEmpty ? .utc : rules(named: variable) ?? .utc
  }

  /// By a name below /usr/share/zoneinfo, the path of a file, or a rule. Nil for everything else.
  static func rules(named name: String) -> ZoneRules? {
    let name = name.first == ":" ? String(name.dropFirst()) : name
    guard !name.isEmpty else { return nil }
    let path = name.first == "/" ? name : "/usr/share/zoneinfo/\(name)"
    return rules(ofFile: path) ?? ZoneRule(name)?.rules(after: [])
  }

  private static func rules(ofFile path: String) -> ZoneRules? {
    do {
      return ZoneFile.rules(in: Array(try Data(contentsOf: URL(filePath: path))))
    } catch {
      // A file that cannot be read names no zone: the caller says so.
      return nil
    }
  }
}
