package winperf;

/** What the readings of a sensor are. New types come last, so that the codes of the others stay. */
public enum ValueType {
	/** An unsigned integer of 32 bits. */
	INT32(1) {
		@Override
		ValueHandle allocate() {
			return new IntValueHandle(0);
		}
	},
	/** An unsigned integer of 64 bits. */
	INT64(2) {
		@Override
		ValueHandle allocate() {
			return new LongValueHandle(0);
		}
	},
	/** A double. */
	DECIMAL(3) {
		@Override
		ValueHandle allocate() {
			return new DoubleValueHandle(0);
		}
	},
	/** A text. */
	TEXT(4) {
		@Override
		ValueHandle allocate() {
			return new TextValueHandle("");
		}
	},
	/** Nothing: a heading, or a type that is not known. Its storage never has a value. */
	NONE(0) {
		@Override
		ValueHandle allocate() {
			return new TextValueHandle("");
		}
	};

	private final int code;

	ValueType(int code) {
		this.code = code;
	}

	/** Allocates storage for a reading. */
	abstract ValueHandle allocate();

	/** Returns the type with a code of libwinperf.h. */
	static ValueType of(int code) {
		for (ValueType type : values()) {
			if (type.code == code) {
				return type;
			}
		}
		return NONE;
	}
}
