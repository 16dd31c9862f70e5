import Base
import Database

extension Execution {
  func optionalDouble(at column: Int32) -> Double? { isNull(at: column) ? nil : double(at: column) }
  func optionalInteger(at column: Int32) -> Int64? { isNull(at: column) ? nil : integer(at: column) }
  func optionalText(at column: Int32) -> String? { isNull(at: column) ? nil : text(at: column) }

  func blob(at column: Int32) -> [UInt8] {
    let span = bytes(at: column)
    return [UInt8](capacity: span.count) { target in
      for index in span.indices { target.append(span[index]) }
    }
  }

  func uuid(at column: Int32) -> UUID128 { UUID128(bytes(at: column)) }
}
