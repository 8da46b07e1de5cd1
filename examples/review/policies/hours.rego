# Load may start only on working days from 8:00 to 17:00 UTC.
package main

import rego.v1

working_time if {
	not time.weekday(time.now_ns()) in {"Saturday", "Sunday"}
	[hour, _, _] := time.clock(time.now_ns())
	hour >= 8
	hour < 17
}

deny contains message if {
	input.load.starts > 0
	not working_time
	message := "load may start only on working days from 8:00 to 17:00 UTC"
}
