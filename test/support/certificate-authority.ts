/** Certificate authorities that issue certificates for tests. */
import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './raw-target.ts';

export interface CertificateAuthority {
  /** File with the certificate of the trusted authority. */
  readonly trusted: string;
  /** Content of this file. */
  readonly pem: string;
  /** Issues a certificate for a name. */
  sign(name: string, options?: { readonly days?: number; readonly unknown?: boolean }): Certificate;
  close(): void;
}

/** Returns a private key, encrypted with a passphrase. */
export function encryptKey(key: string, passphrase: string): string {
  const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase } as const;
  return createPrivateKey(key).export(options).toString();
}

/** Creates two authorities, one of which is not trusted. */
export function openAuthority(): CertificateAuthority {
  const directory = mkdtempSync(join(tmpdir(), 'authority-'));
  const file = (name: string): string => join(directory, name);
  const openssl = (args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['known', 'unknown']) {
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    openssl(['req', '-x509', ...key, '-days', '30', '-subj', `/CN=${name} authority`, ...files]);
  }
  return {
    trusted: file('known.pem'),
    pem: readFileSync(file('known.pem'), 'utf8'),
    sign: (name, { days = 30, unknown = false } = {}) => {
      const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      openssl(['req', '-new', ...key, ...names, '-keyout', file('leaf.key'), '-out', file('leaf.csr')]);
      const issuer = unknown ? 'unknown' : 'known';
      const signer = ['-CA', file(`${issuer}.pem`), '-CAkey', file(`${issuer}.key`), '-CAcreateserial'];
      const outputOptions = ['-copy_extensions', 'copy', '-days', String(days), '-out', file('leaf.pem')];
      openssl(['x509', '-req', '-in', file('leaf.csr'), ...signer, ...outputOptions]);
      return { key: readFileSync(file('leaf.key'), 'utf8'), cert: readFileSync(file('leaf.pem'), 'utf8') };
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}
