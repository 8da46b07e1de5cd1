/**
 * Directives that place the temporary files of nginx in its own directory, so that it runs without root
 * privileges.
 */
export const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');

/** Returns the configuration of an nginx in the foreground, with the content of its http block. */
export function nginxConfiguration(content) {
  return `
daemon off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  ${TEMPORARY_PATHS}
  ${content}
}`;
}

/** Returns the process of an nginx with the configuration `nginx.conf`. */
export function nginxProcess({ directory, program }, port) {
  return { command: [program('nginx'), '-e', 'stderr', '-p', directory, '-c', 'nginx.conf'], port };
}
