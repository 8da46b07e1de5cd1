# Load may be sent only to the hosts of this list.
package main

import rego.v1

allowed := {"127.0.0.1:4091", "staging.example.com"}

deny contains message if {
	some host, _ in input.load.peak_connections
	not host in allowed
	message := sprintf("load on %s is not allowed", [host])
}
