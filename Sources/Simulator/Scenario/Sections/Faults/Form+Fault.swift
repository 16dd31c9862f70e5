internal import Base

extension Form where Value == Fault {
  static var fault: Form {
    let section = Form<FaultSection>.section()
    return Form(section.shape) { value, reading in
      let problemsBefore = reading.problems.count
      guard let fault = section.read(value, &reading) else { return nil }
      reading.judge(fault, at: value, isWhole: reading.problems.count == problemsBefore)
      guard let action = fault.actions.first else { return nil }
      var whole = Fault(
        name: fault.name, start: fault.start, duration: fault.duration ?? .zero,
        perDeviceHour: fault.rate?.perDeviceHour ?? 0, selection: fault.selection, action: action,
        position: value.position)
      whole.occurrences = fault.occurrences
      return whole
    }
  }
}

extension Reading {
  fileprivate mutating func judge(_ fault: FaultSection, at value: JSON5Value, isWhole: Bool) {
    let present = FaultSection.actionNames.filter { value[$0] != nil }
    let list = FaultSection.actionNames.joined(separator: ", ")
    if present.isEmpty {
      refuse(.missing, value.position, "the fault does nothing", remedy: "add one of \(list)")
    } else if present.count > 1 {
      let second = value[present[1]]?.position ?? value.position
      refuse(
        .contradiction, second, "\(present.joined(separator: " and ")) in one fault",
        remedy: "make a fault of each")
    }
    let times = ["at", "rate", "occurrences"].filter { value[$0] != nil }
    if times.isEmpty {
      refuse(.missing, value.position, "nobody says when", remedy: "add at: \"10m\", or rate: { perDeviceHour: 1 }")
    } else if times.count > 1 {
      refuse(
        .contradiction, value.position, "both \(times.joined(separator: " and "))", remedy: "leave one of them")
    }
    if let select = value["select"], value["occurrences"] != nil {
      refuse(
        .contradiction, select.position, "both select and occurrences",
        remedy: "take select away: each names its device")
    }
    if fault.selection.fraction != nil && fault.selection.count != nil {
      let position = value["select"]?.position ?? value.position
      refuse(.contradiction, position, "both fraction and count", remedy: "take one away")
    }
    guard let action = fault.actions.first, present.count == 1 else { return }
    if action.isEmpty && isWhole {
      refuse(
        .missing, value[present[0]]?.position ?? value.position, "an empty \(present[0])", remedy: "say what happens")
    }
    if action.lasts && (fault.duration ?? .zero) <= .zero {
      let position = value["for"]?.position ?? value.position
      refuse(.missing, position, "it begins and never acts", remedy: "say for how long: for: \"5m\"")
    }
  }
}
