export interface AppHost {
  /** Host name, or literal address without brackets. */
  readonly hostname: string;
  /** Port; null for the default port of the scheme. */
  readonly port: number | null;
}

/** @param host - A host that `readAppHost` accepted. */
export function parseAppHost(host: string): AppHost {
  const match = /^(.*?)(?::(\d+))?$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : host);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const hostname = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : (match?.[1] ?? host);
  return { hostname, port };
}
