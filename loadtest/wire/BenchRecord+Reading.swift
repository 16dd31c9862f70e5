import JSON

extension BenchRecord {
  /// With `keepingStrings` the whole record; without, strings are checked and left where they are, as a server does that
  /// stores the bytes as they came.
  init(from reader: inout JSONReader, keepingStrings: Bool) throws(JSONError) {
    self.init()
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "timestamp") {
        try reader.read(&timestamp, keepingStrings)
      } else if reader.equals(key, "recorded_at") {
        try reader.read(&recordedAt, keepingStrings)
      } else if reader.equals(key, "age") {
        try reader.read(&age)
      } else if reader.equals(key, "uuid") {
        try reader.read(&uuid, keepingStrings)
      } else if reader.equals(key, "is_moving") {
        isMoving = try reader.readBool()
      } else if reader.equals(key, "odometer") {
        try reader.read(&odometer)
      } else if reader.equals(key, "odometer_error") {
        try reader.read(&odometerError)
      } else if reader.equals(key, "coords") {
        coords = try Coords(from: &reader)
      } else if reader.equals(key, "activity") {
        activity = try Activity(from: &reader, keepingStrings)
      } else if reader.equals(key, "battery") {
        battery = try Battery(from: &reader)
      } else if reader.equals(key, "extras") {
        extras = try Extras(from: &reader, keepingStrings)
      } else {
        _ = try reader.skipValue()
      }
    }
  }
}

extension BenchRecord.Coords {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "latitude") {
        try reader.read(&latitude)
      } else if reader.equals(key, "longitude") {
        try reader.read(&longitude)
      } else if reader.equals(key, "accuracy") {
        try reader.read(&accuracy)
      } else if reader.equals(key, "speed") {
        try reader.read(&speed)
      } else if reader.equals(key, "speed_accuracy") {
        try reader.read(&speedAccuracy)
      } else if reader.equals(key, "heading") {
        try reader.read(&heading)
      } else if reader.equals(key, "heading_accuracy") {
        try reader.read(&headingAccuracy)
      } else if reader.equals(key, "altitude") {
        try reader.read(&altitude)
      } else if reader.equals(key, "altitude_accuracy") {
        try reader.read(&altitudeAccuracy)
      } else if reader.equals(key, "ellipsoidal_altitude") {
        try reader.read(&ellipsoidalAltitude)
      } else {
        _ = try reader.skipValue()
      }
    }
  }
}

extension BenchRecord.Activity {
  fileprivate init(from reader: inout JSONReader, _ keepingStrings: Bool) throws(JSONError) {
    self.init()
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "type") {
        try reader.read(&type, keepingStrings)
      } else if reader.equals(key, "confidence") {
        try reader.read(&confidence)
      } else {
        _ = try reader.skipValue()
      }
    }
  }
}

extension BenchRecord.Battery {
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "level") {
        try reader.read(&level)
      } else if reader.equals(key, "is_charging") {
        isCharging = try reader.readBool()
      } else {
        _ = try reader.skipValue()
      }
    }
  }
}

extension BenchRecord.Extras {
  fileprivate init(from reader: inout JSONReader, _ keepingStrings: Bool) throws(JSONError) {
    self.init()
    try reader.enterObject()
    while let key = try reader.nextKey() {
      if reader.equals(key, "trip") {
        try reader.read(&trip)
      } else if reader.equals(key, "driver") {
        try reader.read(&driver, keepingStrings)
      } else {
        _ = try reader.skipValue()
      }
    }
  }
}

extension JSONReader {
  fileprivate mutating func read(_ value: inout Double) throws(JSONError) { value = double(try readNumber()) }

  fileprivate mutating func read(_ value: inout Int) throws(JSONError) {
    let number = try readNumber()
    guard let integer = int64(number) else { throw JSONError(.integerOutOfRange, at: number.range.lowerBound) }
    value = Int(integer)
  }

  fileprivate mutating func read(_ value: inout String, _ keepingStrings: Bool) throws(JSONError) {
    let text = try readText()
    if keepingStrings { value = string(text) }
  }
}
