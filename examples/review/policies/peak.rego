# Highest number of connections to a host, by environment. "" is the file without an environment.
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
	message := sprintf("%d connections on %s exceed %d", [peak, host, limit])
}
