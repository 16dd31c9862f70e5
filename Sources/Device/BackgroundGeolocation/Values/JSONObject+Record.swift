import JSON

extension JSONObject {
  /// As `dictionary`, but what measures something is a `Double` also where its text has no fraction: Swift here has no
  /// NSNumber that is both.
  var recordDictionary: [String: Any] {
    var dictionary = self.dictionary
    measure(["odometer", "odometer_error"], in: &dictionary)
    if case .object(let coords)? = self["coords"] {
      var members = coords.dictionary
      let measures = coords.members.map(\.key).filter { $0 != "floor" }
      coords.measure(measures, in: &members)
      dictionary["coords"] = members
    }
    if case .object(let battery)? = self["battery"] {
      var members = battery.dictionary
      battery.measure(["level"], in: &members)
      dictionary["battery"] = members
    }
    return dictionary
  }

  private func measure(_ keys: [String], in dictionary: inout [String: Any]) {
    for key in keys { if let number = self[key]?.double { dictionary[key] = number } }
  }
}
