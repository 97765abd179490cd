import java.io.IOException;
import winperf.Events;
import winperf.Region;

/** Usage: Emit. Declares its events, listens for experiments, and emits the events of c/events.c. */
public final class Emit {
	private Emit() {}

	public static void main(String[] arguments) throws IOException {
		Events.declare("request", "größer");
		Events.Listener listener = Events.listen("events");
		try {
			if (System.in.read() < 0) {
				System.exit(1);
			}
			Events.event("request", "path", "/größer", "bytes", -42, "ratio", 0.5);
			try (Region job = new Region("job", "path", "/größer")) {
				job.event("request");
				job.atEnd("result", "ok");
			}
			while (System.in.read() >= 0) {
				continue;
			}
		} finally {
			listener.close();
		}
	}
}
