import java.io.IOException;
import winperf.Events;
import winperf.Region;

/** Usage: Emit. Declares its events, lets experiments be attached to it, and emits what c/events.c does. */
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
