/** What `init` writes. */

export interface StarterOptions {
  readonly project: string;
  /** What the editor reads the schema from: a path or a URL. */
  readonly schema: string;
}

/** A small file that is valid as it is, with the rest as comments. */
export function starterText({ project, schema }: StarterOptions): string {
  return `# yaml-language-server: $schema=${schema}
version: 1
project: ${project}

# Without a service, the load is generated inside the command.
# service:
#   base_url: https://api.example.com     # the API key is read from LOADTESTS_API_KEY, never from a file

vars:
  host: "127.0.0.1:8080"

apps:                                     # load is sent only to hosts that are declared here and verified
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

# limits:                                 # a plan that exceeds one is refused
#   max_connections: 100
#   max_duration: 10m
`;
}
