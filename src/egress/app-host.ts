/** The name of an app, taken apart. */

export interface AppHost {
  /** Without brackets. */
  readonly hostname: string;
  /** Null: the default port of whichever scheme. */
  readonly port: number | null;
}

/** @param host as `readAppHost` gives it */
export function parseAppHost(host: string): AppHost {
  const match = /^(.*?)(?::(\d+))?$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : host);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  const hostname = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : (match?.[1] ?? host);
  return { hostname, port };
}
