import Engine
import Host
import Upload
import Vocabulary

/// A phone whose requests are answered at once, and which is told everything else in vain.
struct BenchPhone {
  var waiting: [UInt64] = []
  var isSampling = false
  var bytesSent = 0

  mutating func perform(_ effect: HostEffect) {
    switch effect {
    case .demand(.sampling(let accuracy)): isSampling = accuracy != nil
    case .send(let request):
      waiting.append(request.id)
      bytesSent += request.body.count
    default: break
    }
  }
}
