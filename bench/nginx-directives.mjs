/** Directives of nginx: its temporary files lie in its own directory, where it runs without root's rights. */
export const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');
