// Certificates made for one test run by the openssl program, which Node cannot do without.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A self-signed certificate for the names (as `DNS:…` or `IP:…`); `expired`: it ended yesterday. */
export function makeCertificate(names: string, { expired = false } = {}): Certificate {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-certificate-'));
  const file = (name: string) => path.join(folder, name);
  try {
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=receiver', '-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE'],
      ...['-keyout', file('key.pem'), '-out', file('valid.pem')],
    );
    if (expired) {
      openssl(
        ...['x509', '-in', file('valid.pem'), '-signkey', file('key.pem'), '-days', '-1'],
        ...['-out', file('expired.pem')],
      );
    }
    const cert = readFileSync(file(expired ? 'expired.pem' : 'valid.pem'), 'utf8');
    return { key: readFileSync(file('key.pem'), 'utf8'), cert };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function openssl(...args: string[]): void {
  try {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error('These tests make certificates with the "openssl" program (3.0 or later); install it.', {
      cause: error,
    });
  }
}
