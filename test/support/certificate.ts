import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Certificates are made for a test: one that is committed would run out. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
  /** Both in PEM. */
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes a certificate of two days that nobody signed, as `key.pem` and `cert.pem` in a folder.
 * @param names whom it is for, as OpenSSL writes it: `DNS:localhost,IP:127.0.0.1`
 */
export function selfSigned(folder: string, names = 'DNS:localhost,IP:127.0.0.1', days = 2): Certificate {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const files = ['-nodes', '-keyout', keyFile, '-out', certFile, '-days', String(days)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const subject = ['-subj', '/CN=test.example', '-addext', `subjectAltName=${names}`];
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...files, ...subject], { encoding: 'utf8' });
  if (made.status !== 0) throw new TypeError(`openssl made no certificate: ${made.stderr}`);
  return { keyFile, certFile, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
}
