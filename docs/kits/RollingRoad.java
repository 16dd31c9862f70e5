import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Rolling Road for JUnit 5: copy this file into your tests.
 *
 * <pre>{@code
 * @ExtendWith(RollingRoad.class) class UploadTest {
 *   @Test void anUploadArrives(RollingRoad.Run road) {
 *     myApp.uploadTo(road.url() + "/locations");
 *     road.await("{'device':'phone-1','atLeast':1}"); } }
 * }</pre>
 *
 * The server is the one of ROLLINGROAD_URL, or one that is started for the JVM: the image of ROLLINGROAD_IMAGE, or the executable
 * of ROLLINGROAD, or {@code rollingroad} in the PATH. ROLLINGROAD_ADMIN_TOKEN is its token. Each test has a run of its own, so that
 * tests in parallel see nothing of each other; one that a constructor gets is another, and so is that of {@code @BeforeAll}.
 * Bodies are the JSON of the administration; where no text has one, quotes may be single. Java 11 or newer; nothing but JUnit.
 */
public final class RollingRoad implements ParameterResolver {
  private static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(RollingRoad.class);

  /** What the server says of a failed wait or check, with its near misses. */
  public static final class RoadError extends AssertionError {
    private static final long serialVersionUID = 1;

    public final int status;
    /** The answer as it came. */
    public final String answer;

    RoadError(int status, String answer) {
      super(words(status, answer));
      this.status = status;
      this.answer = answer;
    }

    private static String words(int status, String answer) {
      List<String> messages = new ArrayList<>();
      Matcher message = Pattern.compile("\"message\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(answer);
      while (message.find()) messages.add(message.group(1).replace("\\\"", "\"").replace("\\\\", "\\"));
      if (answer.startsWith("{\"asked\"")) messages.add(0, "records are missing: " + answer);
      if (messages.isEmpty()) return answer + " (" + status + ")";
      // It ends with the first of the near misses, which follow.
      int end = messages.size() > 1 ? messages.get(0).indexOf("; " + messages.get(1)) : -1;
      messages.set(0, (end < 0 ? messages.get(0) : messages.get(0).substring(0, end)) + " (" + status + ")");
      return String.join("\n  - ", messages);
    }
  }

  /** One run on a server. Let the app upload to {@code url() + "/locations"}. */
  public static final class Run implements ExtensionContext.Store.CloseableResource {
    private final String url;
    private final String token;
    private final String name;

    public Run(String server, String token, String name) {
      this.url = server.replaceAll("/$", "") + "/r/" + encoded(name);
      this.token = token;
      this.name = name;
    }

    public String url() { return url; }

    public String name() { return name; }

    /** Until what is expected is there; the keys are those of POST await: device, atLeast, exactly, of, where, inOrder, … */
    public String await(String expected) {
      String body = json(expected);
      return send("POST", "await", body.contains("\"grace\"") || body.contains("\"uuids\"") ? body : with(body, "\"grace\":\"1s\""));
    }

    /** Nothing of the kind may be there, or come within this time. */
    public String never(Duration within, String expected) {
      long milliseconds = within.toMillis();
      return await(with(json(expected), "\"exactly\":0,\"holds\":\"" + milliseconds + "ms\",\"timeout\":\"" + (milliseconds + 10_000) + "ms\""));
    }

    /** One expectation after the other. */
    public String inOrder(String... steps) { return await("{\"inOrder\":[" + json(String.join(",", steps)) + "]}"); }

    /** What is there now; records whose uuids are named have to be stored. */
    public String verify(String expected) {
      String answer = send("POST", "verify", json(expected));
      if (answer.matches("(?s)\\{\"asked\":\\d+,\"stored\":\\d+,\"missing\":[1-9].*")) throw new RoadError(409, answer);
      return answer;
    }

    /** Rules such as {'fault':{'kind':'status','status':503},'match':{'count':2}}, for this run. */
    public void faults(String... rules) {
      List<String> named = new ArrayList<>();
      for (String rule : rules) {
        String text = json(rule);
        boolean hasName = Pattern.compile("\"id\"\\s*:").matcher(text).find();
        named.add(hasName ? text : with(text, "\"id\":\"fault-" + (named.size() + 1) + "\""));
      }
      send("PUT", "faults", "{\"faults\":[" + String.join(",", named) + "]}");
    }

    /** Queues commands such as ['changePace',true]; they go out with the next answer to the device. */
    public String command(String device, String... commands) {
      return send("POST", "devices/" + encoded(device) + "/commands", "{\"commands\":[" + json(String.join(",", commands)) + "]}");
    }

    public String expireTokens(String device) {
      String name = device.replace("\\", "\\\\").replace("\"", "\\\"");
      return send("POST", "tokens/expire", "{\"device\":\"" + name + "\"}");
    }

    /** The records of a device, one JSON text on each line; none of a device that has stored nothing. */
    public String records(String device) {
      try {
        return send("GET", "devices/" + encoded(device) + "/locations?format=ndjson", null);
      } catch (RoadError failure) {
        if (failure.answer.contains("\"code\":\"unknown_device\"")) return "";
        throw failure;
      }
    }

    /** What devices sent, from the journal, one JSON text on each line; the query is that of GET requests. */
    public String requests(String query) { return send("GET", "requests?format=ndjson&" + query, null); }

    /** The requests of this run as HTTP Archive, for a file beside a failed test. */
    public String har() { return send("GET", "requests?format=har", null); }

    /** Forgets the run: records, requests, commands and faults. */
    public void reset() {
      send("DELETE", "faults", null);
      send("POST", "reset", "");
    }

    @Override public void close() { reset(); }

    private String send(String method, String path, String body) {
      HttpRequest.BodyPublisher content =
          body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/admin/v1/" + path)).method(method, content);
      if (token != null) request.header("Authorization", "Bearer " + token);
      try {
        HttpResponse<String> answer = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
        if (answer.statusCode() >= 300) throw new RoadError(answer.statusCode(), answer.body());
        return answer.body();
      } catch (IOException failure) {
        throw new AssertionError(method + " " + url + "/admin/v1/" + path + ": " + failure, failure);
      } catch (InterruptedException failure) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", failure);
      }
    }

    private static String encoded(String text) { return URLEncoder.encode(text, UTF_8).replace("+", "%20"); }

    private static String json(String text) { return text.contains("\"") ? text : text.replace('\'', '"'); }

    private static String with(String object, String members) {
      String inner = object.strip().substring(1).strip();
      return "{" + members + (inner.equals("}") ? "" : ",") + inner;
    }
  }

  /** The server of the JVM; one that was started here ends with it. */
  private static final class Server implements ExtensionContext.Store.CloseableResource {
    final String url;
    final String token;
    private final Process process;
    private final List<String> ending;

    private Server(String url, String token, Process process, List<String> ending) {
      this.url = url;
      this.token = token;
      this.process = process;
      this.ending = ending;
    }

    static Server start() {
      String token = System.getenv("ROLLINGROAD_ADMIN_TOKEN");
      String url = System.getenv("ROLLINGROAD_URL");
      if (url != null) return new Server(url, token, null, null);
      try {
        String image = System.getenv("ROLLINGROAD_IMAGE");
        return image == null ? startProgram() : startContainer(image, token == null ? UUID.randomUUID().toString() : token);
      } catch (IOException | InterruptedException failure) {
        throw new IllegalStateException("the server did not start: " + failure, failure);
      }
    }

    private static Server startProgram() throws IOException {
      String program = System.getenv().getOrDefault("ROLLINGROAD", "rollingroad");
      ProcessBuilder builder = new ProcessBuilder(program, "serve", "--listen", "127.0.0.1:0", "--data", ":memory:");
      builder.environment().keySet().removeIf(name -> name.startsWith("ROLLINGROAD_"));
      Process process;
      try {
        process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      } catch (IOException failure) {
        String named = System.getenv("ROLLINGROAD") == null ? program + ", as ROLLINGROAD is not set," : "ROLLINGROAD=" + program;
        throw new IOException(named + " cannot be started", failure);
      }
      String line = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
      if (line == null || !line.startsWith("listening ")) throw new IOException(program + " said: " + line);
      return new Server(line.split(" ")[1], null, process, null);
    }

    private static Server startContainer(String image, String token) throws IOException, InterruptedException {
      String engine = System.getenv().getOrDefault("ROLLINGROAD_ENGINE", "docker");
      String name = "rollingroad-" + UUID.randomUUID().toString().substring(0, 13);
      run(List.of(engine, "run", "--detach", "--rm", "--name", name, "--publish", "127.0.0.1::8080", "--env",
          "ROLLINGROAD_ADMIN_TOKEN=" + token, "--env", "ROLLINGROAD_DATA=:memory:", image));
      List<String> ending = List.of(engine, "rm", "--force", name);
      String port = run(List.of(engine, "port", name, "8080")).lines().findFirst().orElseThrow();
      String url = "http://127.0.0.1:" + port.substring(port.lastIndexOf(':') + 1).strip();
      for (int tries = 0; tries < 300; tries++) {
        try {
          HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/readyz")).build();
          if (CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) return new Server(url, token, null, ending);
        } catch (IOException notYet) {
          // It is starting.
        }
        Thread.sleep(100);
      }
      run(ending);
      throw new IOException("no server at " + url);
    }

    private static String run(List<String> words) throws IOException, InterruptedException {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) throw new IOException(String.join(" ", words) + ": " + output);
      return output;
    }

    @Override public void close() throws IOException, InterruptedException {
      if (process != null) {
        process.destroy();
        process.waitFor();
      }
      if (ending != null) run(ending);
    }
  }

  @Override public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Run.class;
  }

  @Override public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Server server = context.getRoot().getStore(SPACE).getOrComputeIfAbsent("server", key -> Server.start(), Server.class);
    // A store shows what the stores around it hold, and a constructor is called in that of its class, once for each test.
    boolean isConstructor = parameter.getDeclaringExecutable() instanceof Constructor;
    String key = "run-" + (isConstructor ? UUID.randomUUID() : context.getUniqueId());
    return context.getStore(SPACE).getOrComputeIfAbsent(
        key, made -> new Run(server.url, server.token, "test-" + UUID.randomUUID()), Run.class);
  }
}
