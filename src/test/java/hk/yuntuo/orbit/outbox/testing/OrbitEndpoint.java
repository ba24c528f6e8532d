package hk.yuntuo.orbit.outbox.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HTTP side of the simulator: routes a request, lets a fault strike, and sees to it that every connection ends answered or cut. */
final class OrbitEndpoint implements HttpHandler {
    /** A path of the contract. */
    private enum Route {
        QUEUE("/v1/queues/([^/]+)", "GET", OrbitCall.GET_QUEUE),
        TASKS("/v1/tasks()", "POST", OrbitCall.SUBMIT),
        TASK("/v1/tasks/([^/]+)", "GET", OrbitCall.GET_TASK),
        CANCEL("/v1/tasks/([^/]+)/cancel", "POST", OrbitCall.CANCEL);

        private final Pattern path;
        private final String method;
        private final OrbitCall call;

        Route(String path, String method, OrbitCall call) {
            this.path = Pattern.compile(path);
            this.method = method;
            this.call = call;
        }
    }

    private final OrbitApi api;
    private final FaultQueue faults;

    OrbitEndpoint(OrbitApi api, FaultQueue faults) {
        this.api = api;
        this.faults = faults;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        Wire wire = new Wire(exchange);
        try {
            byte[] body = exchange.getRequestBody().readAllBytes();
            respond(exchange, wire, body);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } finally {
            // Of no effect after a whole answer; else the connection is cut.
            wire.cut();
        }
    }

    private void respond(HttpExchange exchange, Wire wire, byte[] body) throws IOException, InterruptedException {
        String path = exchange.getRequestURI().getRawPath();
        for (Route route : Route.values()) {
            Matcher matcher = route.path.matcher(path);
            if (matcher.matches()) {
                if (!route.method.equals(exchange.getRequestMethod())) {
                    wire.send(Answer.error(405, "method_not_allowed", "Use " + route.method + ".")
                            .withHeader("Allow", route.method));
                    return;
                }
                String id = URLDecoder.decode(matcher.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
                serve(new OrbitApi.Request(route.call, id, exchange.getRequestHeaders(), body), wire);
                return;
            }
        }
        wire.send(Answer.error(404, "not_found", "There is no such path."));
    }

    private void serve(OrbitApi.Request request, Wire wire) throws IOException, InterruptedException {
        Optional<Fault> fault = faults.take(request.call());
        Fault.Handling handling = api.received(request);
        if (fault.isPresent()) {
            fault.get().run(wire, handling);
        } else {
            wire.send(handling.handle());
        }
    }
}
