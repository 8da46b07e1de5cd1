/** The certificates that Node.js trusts by default, in PEM format. */
export { rootCertificates } from 'node:tls';
