/** Parses a log like a runner of GitHub Actions: returns the commands and the other lines. */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/**
 * A command is a line whose first non-space characters are `::`; the older form may appear anywhere in a
 * line.
 */
export function parseCommands(log: string): readonly WorkflowCommand[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name, given, message] = /^\s*::([a-z-]+)(?: ([^:]*))?::(.*)$/.exec(line) ?? [];
    if (name === undefined) {
      if (line.trimStart().startsWith('::') || line.includes('##['))
        throw new Error(`incomplete command: ${line}`);
      return [];
    }
    const properties = (given ?? '').split(',').flatMap((one) => {
      const at = one.indexOf('=');
      return at < 1 ? [] : [[one.slice(0, at), parseCommand(one.slice(at + 1))] as const];
    });
    return [{ name, properties: Object.fromEntries(properties), message: parseCommand(message ?? '') }];
  });
}

function parseCommand(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '%25': '%',
    '%0D': '\r',
    '%0A': '\n',
    '%3A': ':',
    '%2C': ',',
  };
  return text.replaceAll(/%(?:25|0D|0A|3A|2C)/g, (escape) => signs[escape] ?? '');
}
