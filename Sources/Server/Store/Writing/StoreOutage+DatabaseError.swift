import Database

extension StoreOutage {
  /// What the error means for those who wait. A violated constraint or a misuse is an error of this program.
  init(_ error: DatabaseError) {
    switch error.kind {
    case .full: self = .full
    case .corrupt, .notADatabase, .newerVersion, .foreignFile: self = .damaged
    case .busy, .inputOutput, .readOnly, .cantOpen, .interrupted, .settingRefused, .other: self = .inputOutput
    case .constraint, .misuse: preconditionFailure("\(error)")
    }
  }
}

extension StoreError {
  init(_ error: DatabaseError, opening path: String) {
    switch error.kind {
    case .newerVersion(let found, let known):
      self.init(
        code: .newerVersion,
        message: "\(path) was written by a newer program: its version is \(found), this one knows \(known); "
          + "update this program or choose another --data folder")
    case .foreignFile, .notADatabase:
      self.init(
        code: .foreignFile, message: "\(path) is not a store of this program; choose another --data folder")
    case .full: self.init(code: .full, message: "\(path): no space is left on its disk")
    case .corrupt:
      self.init(
        code: .damaged,
        message: "\(path) is damaged: \(error.summary); 'rollingroad inspect' says more; restore a copy")
    default: self.init(code: .inputOutput, message: "\(path) cannot be used: \(error.summary)")
    }
  }
}
