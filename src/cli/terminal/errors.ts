import { problem, ProblemError } from '../../core/problem.ts';
import { codeOf, messageOf } from '../../core/unknown-value.ts';

export function reasonOf(error: unknown): string {
  return ERROR_REASONS[codeOf(error) ?? ''] ?? messageOf(error);
}

const ERROR_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or directory',
  EEXIST: 'the file already exists',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota exceeded',
  ENXIO: 'it is a socket',
  EPIPE: 'broken pipe',
};

/** Error for an output file that must not be written. */
export class RefusedOutput extends ProblemError {
  constructor(message: string, hint: string | null = null) {
    super(problem('LT_CLI_PATH', message, { hint }));
  }
}

export function usageError(message: string, hint: string | null = null): ProblemError {
  return new ProblemError(problem('LT_CLI_USAGE', message, { hint }));
}
