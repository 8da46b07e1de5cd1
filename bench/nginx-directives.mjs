/**
 * Directives that place the temporary files of nginx in its own directory, so that it runs without root
 * privileges.
 */
export const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');
