/** The configuration file that `loadtests init` writes. */

export interface StarterOptions {
  readonly project: string;
  /** Path or URL of the JSON Schema for editors. */
  readonly schema: string;
}

export function starterText({ project, schema }: StarterOptions): string {
  return `# yaml-language-server: $schema=${schema}
version: 1
project: ${project}

# Without a service, the loadtests command generates the load itself.
# service:
#   base_url: https://api.example.com     # the API key is read from LOADTESTS_API_KEY, never from a file

vars:
  host: "127.0.0.1:8080"

apps:                                     # only declared and verified hosts receive load
  site: "\${host}"

tests:
  home:
    test_type: cycling                    # cycling | non-cycling | per-second
    initial: 1
    total: 10                             # connections at the end
    duration: 10s
    urls:
      - http://\${host}/
    thresholds:
      error_rate: "< 1%"
      p95: "< 500ms"

# limits:                                 # loadtests rejects a plan that exceeds a limit
#   max_connections: 100
#   max_duration: 10m
`;
}
