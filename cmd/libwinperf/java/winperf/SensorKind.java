package winperf;

/** What the readings of a sensor do. */
public enum SensorKind {
	/** They rise and fall. */
	GAUGE,
	/** They never fall, but for a restart or a wrap. */
	COUNTER
}
