// One bundle of certificate authorities for git: those that Node trusts and the operator's own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { CausewayError } from '../core/errors.ts';

/**
 * Gives the path of a bundle below `folder` that adds the file named by NODE_EXTRA_CA_CERTS to the usual authorities; "" without such a file.
 * Git takes a bundle in place of its own, not in addition: the file alone would shut out every public host. Written when first asked for.
 */
export function createCertificates(folder: string, extraFile: string | undefined): () => string {
  let written = '';
  return () => {
    if (extraFile === undefined || extraFile === '' || written !== '') return written;
    const bundle = [...getCACertificates('bundled'), ...getCACertificates('system'), readExtra(extraFile)];
    written = join(folder, 'certificates.pem');
    writeFileSync(written, bundle.join('\n'));
    return written;
  };
}

function readExtra(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CausewayError(
      'repository_unreachable',
      `No repository can be fetched: NODE_EXTRA_CA_CERTS names ${file}, which cannot be read. Correct or unset it.`,
      { cause },
    );
  }
}
