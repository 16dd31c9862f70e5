import Base
import Database

extension Execution {
  func optionalDouble(at column: Int32) -> Double? { isNull(at: column) ? nil : double(at: column) }
  func optionalInteger(at column: Int32) -> Int64? { isNull(at: column) ? nil : integer(at: column) }
  func optionalText(at column: Int32) -> String? { isNull(at: column) ? nil : text(at: column) }

  func uuid(at column: Int32) -> UUID128 { UUID128(bytes(at: column)) }
}
