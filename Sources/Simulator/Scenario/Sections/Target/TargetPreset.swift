package import Base
package import Contract
import JSON

/// Servers with a known dialect.
package enum TargetPreset: String, CaseIterable, Sendable {
  case rollingroad
  case traccar
  case dawarich
  case transistorConsole = "transistor-console"
}

extension TargetPreset {
  package static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// Returns the upload URL. A target that names more than the server, or a run of this one, is left unchanged.
  package func uploads(to target: String) -> String {
    let parts = URLParts(target)
    let root = self == .rollingroad ? parts.root : parts.origin
    return [root, root + "/"].contains(target) ? root + path : target
  }

  private var path: String {
    switch self {
    case .rollingroad: "/locations"
    case .traccar: "/"
    case .dawarich: "/api/v1/traccar/points"
    case .transistorConsole: "/api/locations"
    }
  }
}

extension URLParts {
  /// Where the routes of a Rolling Road server begin: at the server, or at the run that the URL names, as in
  /// `/r/{run}/locations`.
  package var root: String {
    let segments = path.prefix { !"?#".contains($0) }.split(separator: "/", omittingEmptySubsequences: false)
    let isRun = segments.count >= 3 && segments[1] == "r" && !segments[2].isEmpty
    return origin + (isRun ? "/r/\(segments[2])" : "")
  }
}

extension Configuration {
  /// Configures the app so that such a server accepts its records.
  package mutating func speak(_ preset: TargetPreset) {
    guard preset != .rollingroad else { return }
    http.rootProperty = "location"
    // Traccar's OsmAnd decoder expects one object under `location` with `device_id` beside it.
    if preset == .traccar || preset == .dawarich { http.batchSync = false }
    // Dawarich's endpoint for tracking apps expects a flat position, one record at a time.
    if preset == .dawarich {
      persistence.locationTemplate = Configuration.flatRecord
      persistence.geofenceTemplate = Configuration.flatRecord
    }
  }

  /// Adds the device's name where such a server expects it, unless the app has done so.
  package mutating func identify(_ device: String, to preset: TargetPreset) {
    guard preset != .rollingroad else {
      if !hasHeader(HeaderName.deviceID.description) { setHeader(HeaderName.deviceID.description, device) }
      return
    }
    guard case .object(var members) = http.params, members["device_id"] == nil else { return }
    members["device_id"] = .string(device)
    http.params = .object(members)
  }

  /// Returns a header field by its case-insensitive name (RFC 9110 §5.1).
  package func header(_ name: String) -> String? {
    guard case .object(let fields) = http.headers,
      case .string(let value)? = fields.members.first(where: { $0.key.lowercased() == name.lowercased() })?.value
    else { return nil }
    return value
  }

  package func hasHeader(_ name: String) -> Bool {
    guard case .object(let fields) = http.headers else { return false }
    return fields.members.contains { $0.key.lowercased() == name.lowercased() }
  }

  package mutating func removeHeader(_ name: String) {
    guard case .object(var fields) = http.headers else { return }
    for field in fields.members where field.key.lowercased() == name.lowercased() { fields[field.key] = nil }
    http.headers = .object(fields)
  }

  /// Replaces a field of this name.
  package mutating func setHeader(_ name: String, _ value: String) {
    removeHeader(name)
    guard case .object(var fields) = http.headers else { return }
    fields[name] = .string(value)
    http.headers = .object(fields)
  }

  private static let flatRecord = """
    {"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","latitude":<%= latitude %>,"longitude":<%= longitude %>,\
    "accuracy":<%= accuracy %>,"altitude":<%= altitude %>,"speed":<%= speed %>,"heading":<%= heading %>}
    """
}

/// Conflicts between a run and the app's configuration.
extension Scenario {
  /// The settings of the app's configuration that a run replaces, in a sentence each.
  package var replacements: [String] {
    var sentences: [(text: String, fleets: [String])] = []
    for fleet in fleets {
      for text in replacements(in: configuration(of: fleet.value.traits)) {
        if let index = sentences.firstIndex(where: { $0.text == text }) {
          sentences[index].fleets.append(fleet.name)
        } else {
          sentences.append((text, [fleet.name]))
        }
      }
    }
    return sentences.map { sentence in
      sentence.fleets.count == fleets.count
        ? sentence.text : "fleet \(sentence.fleets.joined(separator: ", ")): \(sentence.text)"
    }
  }

  private func replacements(in app: Configuration) -> [String] {
    let isVirtual = clock.mode == .virtual
    var found: [String] = []
    if !app.http.url.isEmpty {
      if isVirtual {
        found.append("the server of virtual time replaces http.url \(app.http.url)")
      } else if let url = target.uploadURL, url != app.http.url {
        found.append("the target \(url) replaces http.url \(app.http.url)")
      }
    }
    for header in target.headers where app.hasHeader(header.name) {
      found.append("target.headers replaces \(header.name) of http.headers")
    }
    let names = [HeaderName.deviceID, HeaderName.runID].map(\.description)
    let (deviceID, runID) = (names[0], names[1])
    func isSaid(_ name: String) -> Bool {
      app.hasHeader(name) || target.headers.contains { $0.name.lowercased() == name.lowercased() }
    }
    if (isVirtual || target.isOurs) && isSaid(deviceID) {
      found.append("the name of the device replaces the header \(deviceID)")
    }
    if isVirtual && isSaid(runID) { found.append("virtual time is one run and leaves out the header \(runID)") }
    if !isVirtual, let preset = target.preset {
      let keys = preset.keysReplaced(in: app)
      if !keys.isEmpty { found.append("preset \(preset.rawValue) replaces \(keys.joined(separator: ", ")) of the app") }
    }
    return found
  }

  /// A note on a run whose requests do not name their device; nil where they do, even by a token, or where that is unknown.
  package var anonymityNote: String? {
    guard clock.mode != .virtual, !target.isOurs, target.preset == nil, target.authorization.strategy == .none else {
      return nil
    }
    let isNamed = fleets.allSatisfy { fleet in
      documents(of: fleet.value.traits).contains { DevicePlaceholders.stand(in: $0) }
    }
    let texts = target.headers.map(\.value) + [target.url ?? ""]
    guard !isNamed, !texts.contains(where: { DevicePlaceholders.stand(in: $0) }) else { return nil }
    return
      "requests do not identify their device: set http.params { device_id: \"${device.id}\" }, or use --preset"
  }
}

extension TargetPreset {
  /// Returns the keys that an app has set and the dialect replaces.
  fileprivate func keysReplaced(in app: Configuration) -> [String] {
    var spoken = app
    spoken.speak(self)
    let chosen = app.changedKeys(since: Configuration(platform: app.platform))
    return spoken.changedKeys(since: app).filter { chosen.contains($0) }
  }
}
