/// A connection as the kernel hands it over.
struct AcceptedSocket: ~Copyable {
  let descriptor: FileDescriptor
  let peer: SocketAddress
}
