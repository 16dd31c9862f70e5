import Glibc

/// The machine, as far as the number of threads depends on it.
package enum Processors {
  /// Processors that this process may use; at least 1.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
