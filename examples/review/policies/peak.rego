# Maximum number of concurrent connections to a host, by environment. "" is a plan without --env.
package main

import rego.v1

maximum := {"": 100, "staging": 500, "production": 50}

environment := "" if {
	input.environment == null
} else := input.environment

# No load is allowed in other environments.
limit := object.get(maximum, environment, 0)

deny contains message if {
	some host, peak in input.load.peak_connections
	peak > limit
	message := sprintf("the peak of %d connections on %s exceeds the maximum of %d", [peak, host, limit])
}
