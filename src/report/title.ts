import { printable } from '../core/printable.ts';

export interface TitleParts {
  readonly command: string;
  /** Name of the project; null for a command without a configuration file. */
  readonly project: string | null;
  readonly environment: string | null;
  /** Origin of the service, or `embedded`. */
  readonly service: string;
}

/** Formats the title: `loadtests plan · project shop · api.example.com`. */
export function titleOf({ command, project, environment, service }: TitleParts): string {
  const projectPart = project === null ? '' : ` · project ${project}`;
  const env = environment === null ? '' : ` · env ${environment}`;
  return printable(`loadtests ${command}${projectPart}${env} · ${service.replace(/^https?:\/\//, '')}`);
}
