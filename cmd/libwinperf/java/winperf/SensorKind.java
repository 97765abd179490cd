package winperf;

/** The kinds of readings. */
public enum SensorKind {
	/** They rise and fall. */
	GAUGE,
	/** They only rise, except after a restart or an overflow. */
	COUNTER
}
