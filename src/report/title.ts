import { printable } from '../core/printable.ts';

/** The first line of what a command says about a project and its service. */
export interface TitleParts {
  readonly command: string;
  /** Null: of an account, without a file. */
  readonly project: string | null;
  readonly environment: string | null;
  /** Its origin, or `embedded`. */
  readonly service: string;
}

/** `loadtests plan · project shop · api.example.com` */
export function titleOf({ command, project, environment, service }: TitleParts): string {
  const whose = project === null ? '' : ` · project ${project}`;
  const env = environment === null ? '' : ` · env ${environment}`;
  return printable(`loadtests ${command}${whose}${env} · ${service.replace(/^https?:\/\//, '')}`);
}
