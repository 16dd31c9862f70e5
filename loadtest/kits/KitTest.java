import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What loadtest/kits/run has JUnit do: KIT_TESTS tests, many at once, each in a run of its own. */
@ExtendWith(RollingRoad.class)
class KitTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  static IntStream numbers() {
    return IntStream.range(0, Integer.parseInt(System.getenv().getOrDefault("KIT_TESTS", "200")));
  }

  private static int upload(RollingRoad.Run road, int number, int accuracy) {
    return upload(road.url() + "/locations", number, accuracy);
  }

  static int upload(String url, int number, int accuracy) {
    String body = String.format(
        "{\"location\":{\"uuid\":\"3f2504e0-4f89-41d3-9a0c-%012d\",\"timestamp\":\"2026-07-28T18:34:22.%03dZ\","
            + "\"coords\":{\"latitude\":48.1,\"longitude\":11.5,\"accuracy\":%d}},\"device_id\":\"phone-1\"}",
        number, number, accuracy);
    try {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url))
          .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)).build();
      return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }

  /** A run of the class, which is none of its tests'. */
  @BeforeAll
  static void prepare(RollingRoad.Run road) {
    assertEquals(200, upload(road, 1, 1));
  }

  /** Each of its tests has an instance. */
  @Nested
  class WithARunOfTheInstance {
    private final RollingRoad.Run road;

    WithARunOfTheInstance(RollingRoad.Run road) {
      this.road = road;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void seesNothingOfTheOther(int number) {
      assertEquals(200, upload(road, number, 5));
      road.verify("{'exactly':1}");
    }
  }

  @Test
  void rulesAndNamesOfAnyKind(RollingRoad.Run road) {
    road.faults("{'fault':{'kind':'status','status':503},'match':{'count':1}}", "{\"fault\":{\"kind\":\"status\",\"status\":507}}");
    assertEquals(503, upload(road, 1, 5));
    assertEquals(507, upload(road, 1, 5));
    assertTrue(road.expireTokens("q\"\\'").contains("\"families\":0"));
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void aRunOfItsOwn(int number, RollingRoad.Run road) {
    int own = number % 5 + 1;
    CompletableFuture<Void> uploads =
        CompletableFuture.runAsync(() -> IntStream.range(0, own).forEach(n -> assertEquals(200, upload(road, n, number))));
    String found = road.await(
        "{'device':'phone-1','where':[{'path':'$.coords.accuracy','equals':" + number + "}],'atLeast':" + own + "}");
    assertTrue(found.contains("\"found\":" + own), found);
    uploads.join();
    road.never(Duration.ofMillis(100), "{'where':[{'path':'$.coords.accuracy','not':" + number + "}]}");
    assertEquals(own, road.records("phone-1").lines().count());
    if (number % 2 == 1) {
      road.faults("{'id':'once','fault':{'kind':'status','status':503},'match':{'count':1}}");
      assertEquals(503, upload(road, 9, number));
      assertEquals(200, upload(road, 9, number));
      road.inOrder("{'of':'requests','status':503}", "{'of':'requests','status':'2xx'}");
    } else {
      assertEquals(200, upload(road, 9, number));
      road.verify("{'of':'requests','status':503,'exactly':0}");
    }
  }

  @Test
  void anErrorHasTheWordsOfTheServer(RollingRoad.Run road) {
    road.faults("{'id':'flaky','fault':{'kind':'status','status':503}}");
    assertEquals(503, upload(road, 1, 5));
    RollingRoad.RoadError error = assertThrows(
        RollingRoad.RoadError.class, () -> road.await("{'device':'phone-1','timeout':'100ms','grace':'0s'}"));
    String[] lines = error.getMessage().split("\n  - ");
    assertTrue(lines[0].matches("0 records, expected at least 1, after [0-9.]+ s \\(408\\)"), lines[0]);
    assertTrue(List.of(lines).contains("1 upload of phone-1 matched the fault rule flaky (status) and got 503"), error.getMessage());
    assertEquals(408, error.status);
    error = assertThrows(
        RollingRoad.RoadError.class,
        () -> road.verify("{'device':'phone-1','uuids':['4a8a1d3e-0000-4000-8000-000000000000']}"));
    assertEquals(409, error.status);
  }

  @Test
  void commandsAndArchive(RollingRoad.Run road) {
    road.command("phone-1", "['changePace',true]");
    assertEquals(200, upload(road, 1, 5));
    road.await("{'of':'commands','device':'phone-1','state':'sent'}");
    assertTrue(road.har().contains("\"_device\":\"phone-1\""));
    assertEquals(1, road.requests("device=phone-1").lines().count());
    assertTrue(road.expireTokens("phone-1").contains("\"families\":0"));
  }

  @Test
  void ofAnUnknownDeviceThereIsNothing(RollingRoad.Run road) {
    assertEquals("", road.records("phone-1") + road.requests("device=phone-1"));
    RollingRoad.Run elsewhere = new RollingRoad.Run(road.url().replaceAll("/r/.*", "/elsewhere"), null, "x");
    assertEquals(404, assertThrows(RollingRoad.RoadError.class, () -> elsewhere.records("phone-1")).status);
  }
}

/** What the examples of docs/kits.md call, which `run` appends: it uploads until it gets 200. */
final class myApp {
  static void uploadTo(String url) {
    assertTrue(IntStream.range(0, 3).anyMatch(n -> KitTest.upload(url, 1, 5) == 200));
  }
}
