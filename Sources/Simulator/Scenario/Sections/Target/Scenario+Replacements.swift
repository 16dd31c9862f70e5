internal import Contract
internal import JSON

/// Where a run and the app's configuration say different things.
extension Scenario {
  /// What a run puts in the place of what the app configures, in a sentence each.
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

  /// Of a run whose requests do not say which device they come from; nil where they do, or where that is unknown.
  package var anonymityNote: String? {
    guard clock.mode != .virtual, !target.isOurs, target.preset == nil else { return nil }
    let isNamed = fleets.allSatisfy { fleet in
      documents(of: fleet.value.traits).contains { DevicePlaceholders.stand(in: $0) }
    }
    let texts = target.headers.map(\.value) + [target.url ?? ""]
    guard !isNamed, !texts.contains(where: { DevicePlaceholders.stand(in: $0) }) else { return nil }
    return
      "no request says which device it comes from: give the devices names with http.params { device_id: \"${device.id}\" }, or say --preset"
  }
}

extension TargetPreset {
  /// The keys whose values an app has chosen and the dialect replaces.
  fileprivate func keysReplaced(in app: Configuration) -> [String] {
    var spoken = app
    spoken.speak(self)
    let chosen = app.changedKeys(since: Configuration(platform: app.platform))
    return spoken.changedKeys(since: app).filter { chosen.contains($0) }
  }
}
